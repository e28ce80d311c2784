# SPDX-License-Identifier: GPL-2.0-or-later
"""Two hundred sessions at once: more than the 58 that bfdd fits into its buffer (FRR to 10.7)."""
import time

import pytest

import bfd_bed
import bfd_peers
import lab as lab_module
from bfd_watch import PUNCTUAL

COUNT = 200


def addresses(n):
    return f"10.1.{n // 100}.{1 + n % 100}", f"10.2.{n // 100}.{1 + n % 100}"


def many(lab, bfd_at, logs, version, configure_first=False, **options):
    """As many addresses at either end of one link; BIRD has the far ones."""
    bed = bfd_bed.Bed(lab)
    far = bed.router.far[0]
    for namespace, port, end in ((bed.router, "p0", 0), (far, "h0", 1)):
        namespace.batch(f"addr add {addresses(n)[end]}/10 dev {port}" for n in range(COUNT))
    dut = bfd_at(bed.router, version=version, **options)
    neighbours = [f'{a} dev "h0" local {b}' for a, b in map(addresses, range(COUNT))]
    bird = lab.owns(bfd_peers.Bird(far, logs, neighbours, 300))
    if configure_first:
        dut.xdp.stop()
    lines = []
    for here, there in map(addresses, range(COUNT)):
        lines += bfd_peers.peer_lines(there, "p0", 300, local=here)
    dut.bfdd.configure(*lines)
    if configure_first:
        dut.xdp.start()
    return bed, dut, bird


def ups(end):
    return sum(s["status"] == "up" for s in end.view().values())


def wait_all_up(dut, bird, timeout=40):
    lab_module.wait_until("all Up at bfdd", lambda: ups(dut.bfdd) == COUNT, timeout, 0.3)
    lab_module.wait_until("all Up at BIRD", lambda: ups(bird) == COUNT, timeout, 0.3)


@pytest.mark.parametrize("version", ["8.4", "10.7"])
@pytest.mark.parametrize("first", ["daemon first", "configuration first"])
def test_two_hundred_sessions(lab, bfd_at, logs, version, first):
    bed, dut, bird = many(lab, bfd_at, logs, version, first == "configuration first")
    wait_all_up(dut, bird)
    since = time.time()
    # Before there was a data plane nobody listened, and bfdd sent by itself, from ports of its own.
    before = len(bed.watch.unreachable) if first == "configuration first" else 0

    def enough():
        return len(bed.watch.control(since=since)) > COUNT * 2 * 8

    lab_module.wait_until("some packets of each", enough, 20, 0.3)
    flows = bed.watch.flows(since if first == "configuration first" else 0.0)
    assert len(flows) == COUNT
    for flow in flows.values():
        flow.assert_fine(least=5)
    ids = {s["peer"]: (s["id"], s["remote-id"], s["status"]) for s in dut.bfdd.sessions()}
    mine = {s["peer"]: (s["id"], s["remote-id"], s["status"]) for s in dut.xdp.peers()}
    assert ids == mine
    dut.frr.vtysh("show bfd peers counters")
    assert ups(dut.bfdd) == COUNT
    assert not bed.watch.unreachable[before:]


def test_two_hundred_adopted_in_a_second(lab, bfd_at, logs):
    bed, dut, bird = many(lab, bfd_at, logs, "10.7")
    wait_all_up(dut, bird)
    since = time.time()
    dut.xdp.kill()
    begin = time.monotonic()
    dut.xdp.start()
    lab_module.wait_until(
        "adopted", lambda: sum(p["status"] == "up" for p in dut.xdp.peers()) == COUNT, 10, 0.02
    )
    seconds = time.monotonic() - begin
    assert seconds < 1.0 or not PUNCTUAL, f"{seconds:.2f} s"
    lab_module.wait_until("bfdd believes it", lambda: ups(dut.bfdd) == COUNT, 30, 0.3)
    states = {p.control.state for p in bed.watch.control(since=since)}
    assert states == {bfd_bed.bfd_watch.UP}, f"states {states} after kill -9"
    for flow in bed.watch.flows(since).values():
        flow.assert_fine()
