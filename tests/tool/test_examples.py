# SPDX-License-Identifier: BSD-3-Clause
"""The example that runs on this machine, measured as its reader would."""
import json
import subprocess
from pathlib import Path

from conftest import TOOL, free_ports, netdyno, wait_until

EXAMPLE = Path(TOOL).parent / "examples/example_bsd"


def test_the_agent_beside_bsd_sockets_is_measured_over_the_network():
    where = f"127.0.0.1:{free_ports(1)}"
    with subprocess.Popen([EXAMPLE, where, "secret"]) as agent:
        try:
            target = f"tcp://secret@{where}"
            arguments = ["run", target, "--plan", "tcp", "--set", "seconds=50ms", "--json", "-"]
            done = wait_until(lambda: (run := netdyno(*arguments)).returncode == 0 and run)
            assert done
        finally:
            agent.kill()
    steps = {step["step"]: step for step in json.loads(done.stdout)["result"]["steps"]}
    assert {step["status"] for step in steps.values()} == {"ok"}
