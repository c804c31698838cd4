# SPDX-License-Identifier: BSD-3-Clause
"""The plan stream: chunks that a simulated board makes, exactly repeatable."""
import pytest
from conftest import netdyno, simulated
from peers import strict

HEADER_BYTES = 16


def stream(*args, board="fast"):
    done = netdyno("run", *simulated(board), "--plan", "stream", "--set", "seconds=100ms", *args, "--json", "-")
    assert done.returncode == 0, done.stderr
    return {it["step"]: it for it in strict(done.stdout)["result"]["steps"]}


def test_the_highest_kept_rate_is_close_below_the_free_one_and_repeats():
    first, second = stream(), stream()
    assert first == second
    free, kept = first["stream-free"], first["stream-kept"]
    assert free["chunks_missed"] == kept["chunks_missed"] == 0
    assert 0.9 * free["chunks_s"] < kept["offered_chunks_s"] < 1.07 * free["chunks_s"]
    for it in (free, kept):
        assert it["rx_bytes"] == it["chunks"] * (HEADER_BYTES + it["chunk_bytes"] // 2)
        assert it["chunks_s"] == pytest.approx(1e9 / it["chunk_ns"], abs=0.001)


def test_a_slow_rate_is_met_and_a_fast_one_is_missed():
    slow = stream("--set", "chunks=500")["stream-kept"]
    assert (slow["chunks"], slow["chunks_missed"]) == (50, 0)
    assert slow["handover"]["count"] == 50 and slow["busy_pct"] < 20
    fast = stream("--set", "chunks=10000")["stream-kept"]
    assert fast["chunks"] + fast["chunks_missed"] in (999, 1000)  # one may wait at the end
    assert fast["chunks_missed"] > 300


def test_longer_chunks_take_longer():
    small, large = (stream("--chunk", size, "--set", "chunks=100")["stream-free"] for size in ("1K", "4K"))
    assert (small["chunk_bytes"], large["chunk_bytes"]) == (1024, 4096)
    assert 2 < large["chunk_ns"] / small["chunk_ns"] < 4.1


def test_a_chunk_beyond_the_room_of_a_board_is_refused():
    done = netdyno("run", *simulated(), "--plan", "stream", "--chunk", "4K")
    assert done.returncode == 1
    assert "no longer than this device's room" in done.stderr
