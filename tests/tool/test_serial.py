# SPDX-License-Identifier: BSD-3-Clause
"""A console at the end of a serial line: a pseudo terminal in its place, the data path over loopback."""
import itertools
import os
import re
import time
import tty

import pytest
from conftest import PATIENCE_S, Agent, is_one_line, netdyno
from serial_rig import Line
from test_run import QUICK, assert_complete, by_name, load


@pytest.fixture
def line():
    made = Line()
    yield made
    made.cut()


@pytest.fixture
def board(line, start_agent):
    """An agent whose only console is at the far end of the line."""
    return start_agent("--services", "memtest,echo,discard", "--console", line.far, services=3)


def run_serial(line, *args):
    return netdyno("run", f"serial:{line.near}", *QUICK, *args, "--json", "-")


def test_the_whole_default_plan_runs_over_a_serial_line(line, board):
    board.line()  # console-serial
    done = run_serial(line)
    assert done.returncode == 0, done.stderr
    document = load(done.stdout)
    assert_complete(document)
    assert document["result"]["target"] == f"serial:{line.near}"
    assert document["result"]["device"]["address"] == "127.0.0.1"


def test_an_agent_makes_a_pty_where_there_is_no_line(start_agent):
    agent = start_agent("--console", "pty")
    path = re.fullmatch(r"console-serial (/dev/\S+)\n", agent.line())[1]
    for _ in range(2):  # also the second caller finds it as the first did
        done = netdyno("run", f"serial:{path}@9600", *QUICK, "--plan", "echo", "--json", "-")
        assert done.returncode == 0, done.stderr


def test_the_line_is_left_in_text_for_a_person(line, board):
    assert run_serial(line, "--plan", "echo").returncode == 0
    fd = os.open(line.near, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    os.write(fd, b"\nfly\n")
    got = b""
    while b"help lists them\n" not in got:
        got += os.read(fd, 4096)
    os.close(fd)
    assert b"error: arg: no such command; help lists them\n" in got


def test_a_line_that_is_cut_leaves_the_finished_steps(line, board, tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run(f"serial:{line.near}", "--set", "seconds=1000s", "--set", "memtest=1M",
                    "--json", path).await_step("tcp-rx")
    near = line.near
    line.cut()
    code, out, err = run.end()
    assert code == 1 and is_one_line(err)
    assert f"the serial line {near} was cut" in err
    assert "not run" in out
    steps = by_name(load(path.read_text()))
    assert steps["memtest-echo"]["status"] == "ok"
    assert steps["tcp-rx"]["status"] == "failed" and "was cut" in steps["tcp-rx"]["reason"]
    assert steps["memory-end"]["status"] == "not_run"


def test_a_device_that_restarts_in_mid_test_is_told_by_its_boot_line(line, board, tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run(f"serial:{line.near}", "--set", "seconds=1000s", "--set", "memtest=1M",
                    "--json", path).await_step("tcp-rx")
    line.say_to_near(b"\x00\xffnetdyno")  # half a line, as a reset leaves it
    line.say_to_near(b"\nnetdyno agent 0.1.0, lwip on lpc1768\n")
    code, _, err = run.end()
    assert code == 1 and is_one_line(err)
    assert 'the device restarted: it said "netdyno agent 0.1.0, lwip on lpc1768"' in err
    steps = by_name(load(path.read_text()))
    assert steps["memtest-echo"]["status"] == "ok"
    assert "the device restarted" in steps["tcp-rx"]["reason"]
    assert steps["echo-1"]["status"] == "not_run"


def test_an_agent_that_is_started_anew_is_a_restart(line, board, start_agent, tmp_path, start_run):
    path = tmp_path / "r.json"
    run = start_run(f"serial:{line.near}", "--set", "seconds=1000s", "--set", "memtest=1M",
                    "--json", path).await_step("tcp-rx")
    board.process.kill()
    board.process.communicate(timeout=PATIENCE_S)
    start_agent("--services", "memtest,echo,discard", "--console", line.far, services=3)
    code, _, err = run.end()
    assert code == 1 and is_one_line(err)
    steps = by_name(load(path.read_text()))
    assert steps["memtest-echo"]["status"] == "ok"
    assert steps["tcp-rx"]["status"] == "failed"
    assert "the device restarted: it said" in steps["memory-end"]["reason"]


def test_garbage_on_the_line_costs_nothing_but_time(line, board):
    commands, lines = itertools.count(1), itertools.count(1)

    def to_far(piece):  # two commands arrive broken, and another never
        number = next(commands)
        return {2: piece.replace(b"#", b"\x80#", 1), 5: piece[:3] + b"\x00" + piece[4:], 8: b""}.get(number, piece)

    def to_near(piece):  # noise before lines and between them; once a line gets lost
        noise = b"[12.345] wifi: {\"\n" if next(lines) % 3 == 0 else b"\xfe\x1b[2J"
        return noise + piece

    line.to_far, line.to_near = to_far, to_near
    done = run_serial(line)
    assert done.returncode == 0, done.stderr
    assert_complete(load(done.stdout))
    assert next(commands) > 8


def test_a_broken_line_of_an_answer_is_asked_for_again(line, board):
    broken = []

    def to_near(piece):  # one fact of the configuration, and one pool or service, without its end
        for word in (b'"compiler_flags":', b'"name":"discard"'):
            if word in piece and word not in broken:
                broken.append(word)
                begin = piece.index(word)
                return piece[:begin] + piece[piece.index(b"\n", begin):]
        return piece

    line.to_near = to_near
    done = run_serial(line)
    assert done.returncode == 0, done.stderr
    assert len(broken) == 2
    document = load(done.stdout)
    assert_complete(document)
    assert document["result"]["config"]["compiler_flags"]


def test_a_late_answer_is_as_good_as_the_one_after(line, board):
    slow = []

    def to_near(piece):
        if b'"kind":"id"' in piece and not slow:
            slow.append(True)
            time.sleep(1.5)
        return piece

    line.to_near = to_near
    done = run_serial(line, "--plan", "echo")
    assert done.returncode == 0, done.stderr
    assert slow


def test_a_device_that_does_not_answer_is_one_line(line):
    done = run_serial(line, "--plan", "echo")
    assert done.returncode == 1
    assert is_one_line(done.stderr) and "console did not answer `json on`" in done.stderr
    assert {step["status"] for step in load(done.stdout)["result"]["steps"]} == {"not_run"}


def test_a_device_without_address_is_asked_for_one(line, start_agent):
    start_agent("--listen", "0.0.0.0:0", "--services", "memtest,echo,discard", "--console", line.far, services=0)
    done = run_serial(line, "--plan", "echo")
    assert done.returncode == 1 and "give it by --address ADDR" in done.stderr
    assert by_name(load(done.stdout))["identity"]["status"] == "ok"
    done = run_serial(line, "--plan", "echo", "--address", "127.0.0.1")
    assert done.returncode == 0, done.stderr


def test_a_line_that_is_none_is_one_line(line, tmp_path):
    for name, why in ((tmp_path / "none", "No such file"), ("/dev/null", "it is no terminal")):
        done = netdyno("run", f"serial:{name}", "--json", "-")
        assert done.returncode == 1 and is_one_line(done.stderr)
        assert why in done.stderr
    agent = Agent("--services", "echo", "--console", line.near).await_services(1)
    agent.line()
    done = run_serial(line)
    agent.process.kill()
    agent.process.communicate()
    assert done.returncode == 1 and "another program uses it" in done.stderr
