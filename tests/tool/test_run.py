# SPDX-License-Identifier: BSD-3-Clause
"""run: documents, sheets, and what happens when something dies."""
import contextlib
import json
import os
import signal
import socket
import threading

import pytest
from conftest import children, is_alive, is_one_line, netdyno, wait_until

STEPS = ["identity", "memory-idle", "memtest-rx", "memtest-tx", "memtest-echo", "tcp-rx",
         "tcp-tx-copy", "tcp-tx-borrow", "echo-1", "echo-64", "echo-1024", "memory-end"]
QUICK = ["--set", "seconds=50ms", "--set", "messages=50"]
UNITS = ("_bit_s", "_bytes", "_ns", "_pct", "_frames", "_ticks", "_hz", "_per_byte")


def reject_twins(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def reject_constant(name):
    raise ValueError(name)


def load(text):
    return json.loads(text, object_pairs_hook=reject_twins, parse_constant=reject_constant)


def by_name(document):
    return {step["step"]: step for step in document["result"]["steps"]}


def assert_complete(document):
    assert document["netdyno"] == 1
    steps = document["result"]["steps"]
    assert [step["step"] for step in steps] == STEPS
    assert [step["status"] for step in steps] == ["ok"] * len(STEPS)
    for name in STEPS[2:-1]:
        step = by_name(document)[name]
        assert step["rx_bytes"] > 0 and step["goodput_bit_s"] > 0
        for key, value in step.items():
            if isinstance(value, (int, float)):
                assert key.endswith(UNITS), key
                assert value >= 0, key


def test_local_measures_this_machine(tmp_path):
    path = tmp_path / "r.json"
    done = netdyno("run", "local:", *QUICK, "--json", path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    document = load(path.read_text())
    assert_complete(document)
    assert document["result"]["device"]["tick"] == "time"
    assert by_name(document)["tcp-rx"]["absent"]["wire_share_pct"] == "link_rate_unknown"
    for name in STEPS[2:-1]:
        assert 0 < by_name(document)[name]["busy_pct"] <= 100
    assert by_name(document)["echo-1"]["busy_pct"] < 95  # it sleeps while the peer works
    assert document["meta"]["wall_ns"] > 0


def test_json_to_stdout_is_nothing_but_json():
    done = netdyno("run", "local:", *QUICK, "--plan", "echo", "--json", "-")
    assert done.returncode == 0
    steps = by_name(load(done.stdout))
    assert list(steps) == ["identity", "echo-1", "echo-64", "echo-1024"]
    latency = steps["echo-64"]["latency"]
    assert latency["samples"] == 50
    assert latency["min_ns"] <= latency["p50_ns"] <= latency["p99_ns"] <= latency["max_ns"]


def test_a_console_on_the_network_is_a_target(agent):
    done = netdyno("run", f"tcp://127.0.0.1:{agent.ports['console']}", *QUICK, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert_complete(load(done.stdout))


def test_a_missing_service_fails_its_step_alone(start_agent):
    agent = start_agent("--services", "console,echo,memtest", services=3)
    done = netdyno("run", f"tcp://127.0.0.1:{agent.ports['console']}", *QUICK, "--json", "-")
    agent.stop()
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    steps = by_name(load(done.stdout))
    assert steps["tcp-rx"]["status"] == "failed"
    assert steps["tcp-rx"]["reason"] == "the device offers no discard service"
    del steps["tcp-rx"]
    assert {step["status"] for step in steps.values()} == {"ok"}


def test_two_targets_give_two_documents(agent):
    done = netdyno("run", "local:", f"tcp://127.0.0.1:{agent.ports['console']}", *QUICK, "--plan",
                   "echo", "--json", "-")
    assert done.returncode == 0
    assert [document["result"]["target"][:3] for document in load(done.stdout)] == ["loc", "tcp"]


def test_a_target_out_of_reach_is_one_line():
    done = netdyno("run", "tcp://127.0.0.1:1", "--json", "/dev/stdout")
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    assert "cannot reach the console at 127.0.0.1:1: refused" in done.stderr
    done = netdyno("run", "tcp://127.0.0.1:1", "--json", "-")
    assert {step["status"] for step in load(done.stdout)["result"]["steps"]} == {"not_run"}


def test_a_host_out_of_reach_is_one_line():
    done = netdyno("run", "tcp://255.255.255.255")
    assert done.returncode == 1
    assert is_one_line(done.stderr) and ": unreachable" in done.stderr
    assert "Without result, and why" in done.stdout


def test_a_full_pool_fails_its_step_alone(agent):
    with contextlib.ExitStack() as idle:
        for _ in range(40):
            idle.enter_context(socket.create_connection(("127.0.0.1", agent.ports["echo"])))
        done = netdyno("run", f"tcp://127.0.0.1:{agent.ports['console']}", "--plan", "echo", "--set",
                       "messages=1", "--json", "-")
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    steps = by_name(load(done.stdout))
    assert steps["identity"]["status"] == "ok"
    assert steps["echo-1"]["status"] == "failed"
    assert "not finished within" in steps["echo-1"]["reason"]


def relay_console(to_port, last_words):
    """A console that hangs up when it is told these words; its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def forward(source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(4096):
                if last_words in piece:
                    break
                sink.sendall(piece)
        for sock in (source, sink):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def serve():
        near = listener.accept()[0]
        with listener, near, socket.create_connection(("127.0.0.1", to_port)) as far:
            back = threading.Thread(target=forward, args=(far, near))
            back.start()
            forward(near, far)
            back.join()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def test_a_console_that_hangs_up_leaves_the_finished_steps(agent, tmp_path):
    path = tmp_path / "r.json"
    port = relay_console(agent.ports["console"], b" ttcp -t")
    done = netdyno("run", f"tcp://127.0.0.1:{port}", *QUICK, "--json", path)
    assert done.returncode == 1
    assert is_one_line(done.stderr)
    assert "not run" in done.stdout
    steps = by_name(load(path.read_text()))
    assert steps["tcp-rx"]["status"] == "ok"
    assert steps["tcp-tx-copy"]["status"] == "failed"
    assert steps["memory-end"]["status"] == "not_run"
    assert steps["memory-end"]["reason"] != ""


def test_an_agent_that_dies_leaves_the_finished_steps(tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run("local:", "--set", "seconds=1000s", "--json", path).await_step("tcp-rx")
    os.kill(children(run.pid)[0], signal.SIGKILL)
    code, out, err = run.end()
    assert code == 1
    assert is_one_line(err)
    assert "not run" in out
    steps = by_name(load(path.read_text()))
    assert steps["memtest-echo"]["status"] == "ok"
    assert steps["tcp-rx"]["status"] == "failed"
    assert steps["echo-1"]["status"] == "not_run"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_there_is_and_leaves_no_child(tmp_path, start_run, number):
    path = tmp_path / "r.json"
    run = start_run("local:", "--set", "seconds=1000s", "--json", path).await_step("tcp-rx")
    child = children(run.pid)[0]
    os.kill(run.pid, number)
    assert run.end()[0] == 128 + number
    assert not is_alive(child)
    steps = by_name(load(path.read_text()))
    assert steps["memtest-rx"]["status"] == "ok"
    assert steps["tcp-rx"]["reason"] == "interrupted"


def test_an_agent_dies_with_its_parent(start_run):
    run = start_run("local:", "--set", "seconds=1000s").await_step("tcp-rx")
    child = children(run.pid)[0]
    os.kill(run.pid, signal.SIGKILL)
    run.end()
    assert wait_until(lambda: not is_alive(child))


def test_a_document_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    done = netdyno("run", "local:", "--json", str(tmp_path / "nowhere" / "x.json"))
    assert done.returncode == 1
    assert "cannot write" in done.stderr and "dyno sheet" not in done.stdout
