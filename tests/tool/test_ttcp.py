# SPDX-License-Identifier: BSD-3-Clause
"""ttcp against an agent, and against a peer that is nothing but a socket."""
import json
import re
import socket
import subprocess
import threading

from conftest import PATIENCE_S, TOOL, free_ports, is_one_line, netdyno

PATTERN = bytes(range(0x20, 0x7F))


def serve_once(answer):
    """A listener whose one connection is handled by answer(); its port and its thread."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run():
        sock, _ = listener.accept()
        with sock, listener:
            answer(sock)

    thread = threading.Thread(target=run)
    thread.start()
    return listener.getsockname()[1], thread


def read_all(sock):
    pieces = []
    while True:
        piece = sock.recv(65536)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def assert_rate_agrees(output, scale, unit):
    match = re.search(rf"(\d+) bytes in (\d+\.\d+) real seconds = ([\d.]+) {unit}/sec \+\+\+",
                      output)
    assert match, output
    rate = int(match[1]) * scale / float(match[2])
    assert abs(rate - float(match[3])) <= 0.001 + rate * 1e-9


def test_transmit_to_an_agent_gives_exact_counts(agent):
    done = netdyno("ttcp", "-t", "-s", "-n", "128", "-p", agent.ports["ttcp"], "127.0.0.1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"ttcp-t: nbuf=128, buflen=1024, port={agent.ports['ttcp']}"
    assert lines[1:3] == ["ttcp-t: socket", "ttcp-t: connect"]
    assert lines[3].startswith("ttcp-t: 131072 bytes in ")
    assert_rate_agrees(done.stdout, 1 / 1024, "KB")
    assert agent.line().startswith("ttcp ok: 131072 bytes processed in ")


def test_a_transmitters_rate_is_that_of_acknowledged_bytes(agent):
    done = netdyno("ttcp", "-tsv", "-n", "20000", "-p", agent.ports["ttcp"], "127.0.0.1", "--json",
                   "/dev/stderr")
    assert done.returncode == 0
    step = json.loads(done.stderr)["result"]["steps"][0]
    assert step["absent"]["goodput_bit_s"] == "not_supported"
    seconds = (step["elapsed_ns"] + step["tail_ns"]) / 1e9
    assert 0 < step["acknowledged_bit_s"] <= step["tx_bytes"] * 8 / seconds * 1.0001
    assert step["tail_ns"] > 0
    assert "first byte to last acknowledgement" in done.stdout


def test_the_agent_receives_again_and_again(agent):
    for count in (1, 2, 3):
        done = netdyno("ttcp", "-ts", f"-n{count}", f"-p{agent.ports['ttcp']}", "-l1000",
                       "127.0.0.1")
        assert done.returncode == 0
        assert agent.line().startswith(f"ttcp ok: {count * 1000} bytes ")


def test_what_a_plain_socket_receives_is_the_classic_pattern():
    got = []
    port, thread = serve_once(lambda sock: got.append(read_all(sock)))
    done = netdyno("ttcp", "-t", "-s", "-n2", "-l300", f"-p{port}", "-fm", "127.0.0.1")
    thread.join(PATIENCE_S)
    assert done.returncode == 0, done.stderr
    buffer = (PATTERN * 4)[:300]
    assert got == [buffer * 2]
    assert_rate_agrees(done.stdout, 8e-6, "Mbit")


def console_lines(agent, command, count=2):
    """The next so many lines of the console, from a thread: the other end comes meanwhile."""
    sock = socket.create_connection(("127.0.0.1", agent.ports["console"]), timeout=PATIENCE_S)
    lines = sock.makefile("rw")
    lines.write(command + "\n")
    lines.flush()
    first = lines.readline()
    return sock, first, (lines.readline() for _ in range(count - 1))


def assert_modules_line(line, count):
    """The Wi-Fi module's line, whose rate is its bytes over its time."""
    match = re.fullmatch(rf"ttcp ok: {count} bytes processed in (\d+(?:\.\d{{3}})?) ms(?:, ([\d.]+) KB/s)?\n", line)
    assert match, line
    rate = count / 1000 / (float(match[1]) / 1000)
    assert abs(rate - float(match[2])) <= 0.00005 + rate * 1e-9


def test_the_console_of_a_device_sends_to_ttcp_and_both_rates_are_bytes_over_time(agent):
    process, port = start_receiver()
    sock, first, rest = console_lines(agent, f"ttcp -t -n 128 -p {port} 127.0.0.1")
    assert re.fullmatch(rf"ttcp connect 127\.0\.0\.1:{port} nbuf:128 buflen:1024 sockid:\d+\n", first)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "ttcp-r: 131072 bytes in " in out
    assert_rate_agrees(out, 1 / 1024, "KB")
    assert_modules_line(next(rest), 131072)
    sock.close()


def test_the_console_of_a_device_receives_from_ttcp_and_both_rates_are_bytes_over_time(agent):
    port = free_ports(1)
    sock, first, rest = console_lines(agent, f"ttcp -r -p {port}")
    assert re.fullmatch(rf"ttcp listen port:{port} buflen:1024 lsockid:\d+\n", first)
    done = netdyno("ttcp", "-t", "-s", f"-p{port}", "-n128", "127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert_rate_agrees(done.stdout, 1 / 1024, "KB")
    assert_modules_line(next(rest), 131072)
    sock.close()


def start_receiver(*args):
    process = subprocess.Popen([TOOL, "ttcp", "-r", "-s", "-p0", *args], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    port = int(re.fullmatch(r"ttcp-r: nbuf=1024, buflen=1024, port=(\d+)\n",
                            process.stdout.readline())[1])
    assert process.stdout.readline() == "ttcp-r: socket\n"
    return process, port


def test_receive_from_a_plain_socket():
    process, port = start_receiver()
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"x" * 131072)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0 and err == ""
    assert out.startswith("ttcp-r: accept from 127.0.0.1:")
    assert "ttcp-r: 131072 bytes in " in out
    assert re.search(r"ttcp-r: [\d.]+user [\d.]+sys [\d.]+real", out)
    assert_rate_agrees(out, 1 / 1024, "KB")


def test_a_transmitter_that_sends_nothing_gives_no_rate():
    process, port = start_receiver("--json", "/dev/stderr")
    socket.create_connection(("127.0.0.1", port)).close()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "bytes in" not in out
    step = json.loads(err)["result"]["steps"][0]
    assert step["rx_bytes"] == 0
    assert step["absent"]["goodput_bit_s"] == "no_samples"


def test_a_peer_that_breaks_off_is_a_failure():
    def hang_up(sock):
        sock.recv(1000)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    port, thread = serve_once(hang_up)
    done = netdyno("ttcp", "-t", "-s", "-n100000", f"-p{port}", "127.0.0.1")
    thread.join(PATIENCE_S)
    assert done.returncode == 1
    assert is_one_line(done.stderr) and "reset after " in done.stderr


def test_nobody_there_is_a_failure_in_text_and_json():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        done = netdyno("ttcp", "-t", "-s", f"-p{port}", "--json", "-", "127.0.0.1")
    assert done.returncode == 1
    assert is_one_line(done.stderr) and "refused" in done.stderr
    step = json.loads(done.stdout)["result"]["steps"][0]
    assert step["status"] == "failed" and step["reason"] == "refused"
