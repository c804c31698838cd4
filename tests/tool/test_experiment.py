# SPDX-License-Identifier: BSD-3-Clause
"""netdyno profile --without and --with: the image built anew, and a prediction that comes true."""
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import TOOL, is_one_line, netdyno
from peers import strict

SOURCE = Path(__file__).resolve().parents[2]
BUILD_S = 280


@pytest.fixture(scope="module", name="work")
def cache_of_images(tmp_path_factory):
    return tmp_path_factory.mktemp("images")


@pytest.fixture(scope="module", name="experiment")
def run_experiments(work):
    def run(*args):
        done = netdyno("profile", "sim:lwip@lpc1768", "--source", SOURCE, "--work", work,
                       "--set", "seconds=50ms", *args, "--json", "-", timeout=BUILD_S)
        assert done.returncode == 0, done.stderr
        return strict(done.stdout)["result"]
    return run


def test_without_udp_checksums_the_rate_is_what_the_share_foretold(experiment):
    result = experiment("--load", "udp-tx", "--without", "checksum-udp")
    found = result["experiment"]
    assert found["without"] == ["checksum-udp"]
    assert found["options"] == ["CHECKSUM_GEN_UDP=0", "CHECKSUM_CHECK_UDP=0"]
    before, predicted, after = found["before"], found["predicted"], found["after"]
    assert 50 < predicted["share_pct"] < 75 and after["gain_pct"] > 100
    assert abs(predicted["difference_pct"]) < 3
    assert abs(predicted["goodput_gain_pct"] - after["goodput_gain_pct"]) < 3
    own = result["profile"]
    assert before["cycles_per_byte"] == own["cycles_per_byte"]
    assert predicted["cycles_per_byte"] == pytest.approx(
        own["cycles_per_byte"] * (100 - predicted["share_pct"]) / 100, abs=0.002)
    other = after["profile"]
    assert sum(it["cycles"] for it in other["functions"]) == other["cycles"]
    assert other["payload_bytes"] == own["payload_bytes"]
    assert all(it["layer"] != "checksum" for it in other["layers"])


def test_where_the_processor_limits_the_goodput_grows_up_to_the_wire(experiment):
    found = experiment("--load", "udp-tx", "--without", "checksum-udp", "--set", "link=300M")
    found = found["experiment"]
    assert found["before"]["busy_pct"] == 100 and found["after"]["busy_pct"] < 100
    assert found["after"]["goodput_gain_pct"] > 30
    assert found["predicted"]["goodput_gain_pct"] == pytest.approx(
        found["after"]["goodput_gain_pct"], abs=3)


def test_the_peer_takes_segments_that_nobody_put_a_checksum_into(experiment):
    result = experiment("--load", "tcp-tx", "--without", "checksum-tcp,checksum-ip")
    found = result["experiment"]
    assert found["without"] == ["checksum-tcp", "checksum-ip"]
    assert abs(found["predicted"]["difference_pct"]) < 3 and found["after"]["gain_pct"] > 50
    assert found["after"]["goodput_bit_s"] >= found["before"]["goodput_bit_s"]


def test_a_load_without_its_copy_needs_no_other_image(experiment):
    found = experiment("--load", "tcp-tx", "--without", "copy")["experiment"]
    assert found["load"] == "tcp-tx-borrow" and found["options"] == []
    assert found["predicted"]["share_pct"] > 5 and found["after"]["gain_pct"] > 0
    assert sum(it["cycles"] for it in found["after"]["profile"]["layers"]
               if it["layer"] == "copy") < 1e6


def test_of_any_other_option_nothing_is_predicted(experiment, work):
    """And what was built for these options once is not built again."""
    found = experiment("--load", "udp-tx", "--with", "CHECKSUM_GEN_UDP=0", "--with",
                       "CHECKSUM_CHECK_UDP=0")["experiment"]
    assert found["absent"] == {"predicted": "not_supported"} and found["without"] == []
    assert found["after"]["gain_pct"] > 100
    built = {it.name for it in work.iterdir()}
    experiment("--load", "udp-tx", "--without", "checksum-udp")
    assert {it.name for it in work.iterdir()} == built


@pytest.mark.parametrize("args, code, expected", [
    (["local:", "--without", "checksum-udp"], 2, "expected sim:STACK@BOARD"),
    (["sim:lwip@lpc1768", "--without", "checksum"], 2,
     "expected copy, checksum-ip, checksum-tcp, checksum-udp, or the NAME"),
    (["sim:lwip@lpc1768", "--without", "copy"], 2, "expected --load tcp-tx"),
    (["sim:lwip@lpc1768", "--with", "x=1"], 2, "x=1: expected"),
    (["sim:lwip@lpc1768", "--with", "opt=-O2", "--load", "x"], 2, "expected one of: tcp-rx"),
    (["sim:lwip@lpc1768", "--with", "opt=-O2", "--firmware", "x"], 2, "build the image themselves"),
])
def test_what_cannot_be_is_one_line(args, code, expected, work, experiment):
    experiment("--load", "tcp-tx", "--without", "copy")
    done = netdyno("profile", "--source", SOURCE, "--work", work, *args, timeout=BUILD_S)
    assert done.returncode == code and is_one_line(done.stderr)
    assert expected in done.stderr


def test_without_a_source_tree_there_is_nothing_to_build(tmp_path):
    tool = tmp_path / "netdyno"
    shutil.copy(TOOL, tool)
    for args, expected in (((), "--source DIR"), (("--source", "/"), "no source tree")):
        done = subprocess.run([tool, "profile", "sim:lwip@lpc1768", "--with", "opt=-O3", *args],
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1 and is_one_line(done.stderr)
        assert expected in done.stderr
