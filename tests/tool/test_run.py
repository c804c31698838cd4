# SPDX-License-Identifier: BSD-3-Clause
"""run: documents, sheets, and what happens when something dies."""
import contextlib
import json
import os
import signal
import socket
import threading

import pytest
from conftest import ALL_SERVICES, children, is_alive, is_one_line, netdyno, wait_until

STEPS = ["identity", "memory-idle", "memtest-rx", "memtest-tx", "memtest-echo", "tcp-rx",
         "tcp-tx-copy", "tcp-tx-borrow", "echo-1", "echo-64", "echo-1024", "memory-end"]
QUICK = ["--set", "seconds=50ms", "--set", "messages=50", "--set", "memtest=1M"]
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


def test_figures_of_this_machine_add_up():
    done = netdyno("run", "local:", "--plan", "memory", "--json", "-")
    assert done.returncode == 0, done.stderr
    document = load(done.stdout)
    assert document["result"]["settings"]["memtest_bytes"] == 64 << 20
    for name in ("memtest-rx", "memtest-tx"):
        step = by_name(document)[name]
        busy_ns = step["busy_ns_per_byte"] * step["rx_bytes"]
        assert busy_ns <= 1.25 * step["elapsed_ns"], (name, step)


def test_the_fingerprint_names_compiler_and_flags():
    done = netdyno("run", "local:", "--plan", "echo", "--set", "messages=1", "--json", "-")
    config = load(done.stdout)["result"]["config"]
    assert config["compiler"].split()[0] in ("gcc", "clang")
    assert config["compiler_flags"] != ""


def test_the_main_loops_gaps_are_in_document_and_sheet(tmp_path):
    path = tmp_path / "r.json"
    done = netdyno("run", "local:", *QUICK, "--plan", "memory", "--json", path)
    metrics = by_name(load(path.read_text()))["memory-end"]["metrics"]
    for key in ("poll_gap", "progress_gap"):
        gap = metrics[key]
        assert gap["count"] > 0 and 0 < gap["p50_ns"] <= gap["p99_ns"] <= gap["max_ns"]
    assert metrics["poll_gap"]["max_ns"] < 60e9  # it did not go below nothing
    assert metrics["absent"]["first_failure_pool"] == "no_samples"
    assert "work between two polls" in done.stdout
    assert "between two progresses of a test" in done.stdout


def test_metrics_are_of_this_run_alone(agent):
    args = ["run", f"tcp://127.0.0.1:{agent.ports['console']}", *QUICK, "--plan", "memory", "--json", "-"]
    counts = [by_name(load(netdyno(*args).stdout))["memory-end"]["metrics"] for _ in range(2)]
    assert [metrics["rx_bytes"] for metrics in counts] == [2 << 20] * 2


def test_any_amount_of_memtest_is_served(agent):
    for amount, count in (("3M", 3 << 20), ("1", 1), ("100K", 100 << 10)):
        done = netdyno("run", f"tcp://127.0.0.1:{agent.ports['console']}", "--plan", "memory", "--set",
                       f"memtest={amount}", "--json", "-")
        assert done.returncode == 0, done.stderr
        steps = by_name(load(done.stdout))
        assert [steps[name]["rx_bytes"] for name in STEPS[2:5]] == [count] * 3
    done = netdyno("memtest", "127.0.0.1", "-p", agent.ports["memtest"])
    assert done.returncode == 0, done.stderr  # the choice was for one caller alone


def test_a_device_decides_how_much_memtest_has(start_agent):
    agent = start_agent("--bytes", "300K", services=ALL_SERVICES)
    done = netdyno("run", f"tcp://127.0.0.1:{agent.ports['console']}", "--plan", "memory", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert load(done.stdout)["result"]["settings"]["memtest_bytes"] == 300 << 10


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


TOKEN = "open-sesame-42"


@pytest.mark.parametrize("way", ["name", "environment"])
def test_a_console_with_a_token_is_a_target_and_the_token_is_shown_nowhere(start_agent, way):
    agent = start_agent("--token", TOKEN)
    port = agent.ports["console"]
    where, env = f"127.0.0.1:{port}", {**os.environ, "NETDYNO_TOKEN": TOKEN}
    if way == "name":
        where, env = f"{TOKEN}@{where}", os.environ
    done = netdyno("run", f"tcp://{where}", *QUICK, "--plan", "echo", "--json", "-", env=env)
    assert done.returncode == 0, done.stderr
    assert TOKEN not in done.stdout
    assert load(done.stdout)["result"]["target"] == f"tcp://127.0.0.1:{port}"
    assert netdyno("run", "local:", *QUICK, "--plan", "echo", env=env).returncode == 0


@pytest.mark.parametrize("token, why", [("", "the device refused `json on`"), ("secret@", "wrong token")])
def test_a_console_does_nothing_without_its_token(start_agent, token, why):
    agent = start_agent("--token", TOKEN)
    done = netdyno("run", f"tcp://{token}127.0.0.1:{agent.ports['console']}", *QUICK)
    assert done.returncode == 1 and is_one_line(done.stderr)
    assert "secret" not in done.stdout + done.stderr


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


def test_a_second_target_that_is_none_is_refused_before_the_first_runs(tmp_path):
    path = tmp_path / "r.json"
    path.write_text("as before")
    done = netdyno("run", "local:", "sim:nope@x", *QUICK, "--json", path)
    assert done.returncode == 2
    assert is_one_line(done.stderr) and "no firmware netdyno-nope-x.elf" in done.stderr
    assert done.stdout == "" and path.read_text() == "as before"


def test_a_target_that_fails_does_not_cost_the_others_results(tmp_path):
    path = tmp_path / "r.json"
    done = netdyno("run", "local:", "tcp://127.0.0.1:1", *QUICK, "--plan", "echo", "--json", path)
    assert done.returncode == 1
    first, second = load(path.read_text())
    assert by_name(first)["echo-1"]["status"] == "ok"
    assert by_name(second)["echo-1"]["status"] == "not_run"


def test_two_names_of_one_file_are_refused(tmp_path):
    (tmp_path / "link").symlink_to("x")
    for pcap in ("./x", "link"):
        done = netdyno("run", "native:lwip", "--json", "x", "--pcap", pcap, "--firmware", "/bin/true",
                       cwd=tmp_path)
        assert done.returncode == 2 and "expected different files" in done.stderr
        assert not (tmp_path / "x").exists()
    image = tmp_path / "fw.elf"
    image.write_bytes(b"precious")
    done = netdyno("run", "native:lwip", "--firmware", image, "--pcap", image)
    assert done.returncode == 2 and image.read_bytes() == b"precious"
