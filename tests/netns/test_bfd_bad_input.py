# SPDX-License-Identifier: GPL-2.0-or-later
"""A bfdd that says what no packaged one does: no crash, no storm, no busy loop; sessions stay."""
import contextlib
import os
import pathlib
import random
import struct
import time

import pytest

import bfd_bed
import bfd_peers
import bfddp
import lab as lab_module
import xdp as xdp_module
from bfd_bed import addresses
from bfd_packet import UP
from bfddp import Session, message

LOCAL, PEER = addresses(0, "ipv4")
DOWN_STATE = 1
GOOD = Session(77, PEER, LOCAL, ifname="p0", min_tx=100000, min_rx=100000)


class Scripted:
    """bfddp-xdp connected to a Script, and BIRD at the far end."""

    def __init__(self, lab, logs, *options):
        self.bed = bfd_bed.Bed(lab)
        tag = "bad" + "".join(c for c in lab.tag if c.isalnum())
        path = f"/run/{tag}.bfddp"
        self.script = lab.owns(bfddp.Script(path))
        self.xdp = lab.owns(xdp_module.BfddpXdp(self.bed.router, tag, logs))
        self.xdp.start("--dplaneaddr", f"unix:{path}", *options)
        neighbours = [bfd_bed.bird_neighbour(0, "ipv4")]
        self.bird = lab.owns(bfd_peers.Bird(self.bed.router.far[0], logs, neighbours, 100))
        self.script.accept()

    def good_session(self):
        self.script.send(GOOD.add())
        self.script.wait_state(GOOD.lid, UP)
        assert bfd_bed.up(self.bird, [LOCAL])

    def packets(self, least, since):
        def enough():
            self.script.pump()
            return len(self.bed.watch.control(LOCAL, PEER, since)) >= least

        lab_module.wait_until(f"{least} packets", enough, 20)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.xdp.process.pid}/stat").read_text().split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def assert_idle(self, seconds=1.5, share=0.3):
        """Neither busy nor sending more than sessions may."""
        begin, cpu, since = time.monotonic(), self.cpu_seconds(), time.time()
        self.script.wait("time to pass", lambda: time.monotonic() > begin + seconds)
        assert self.xdp.running()
        assert self.cpu_seconds() - cpu < share * (time.monotonic() - begin)
        return len([p for p in self.bed.watch.control(since=since) if not p.outgoing])


@pytest.fixture
def scripted(lab, logs):
    return lambda *options: Scripted(lab, logs, *options)


RANDOM = random.Random(3)
GARBAGE = {
    "random bytes": RANDOM.randbytes(4000),
    "zeros": bytes(64),
    "version 0": message(bfddp.ADD, GOOD.pack(), version=0),
    "version 2 and then nonsense": message(bfddp.ADD, b"\xff" * 4, version=2, length=8),
    "length 0": message(bfddp.ADD, b"", length=0),
    "length 7": message(bfddp.ADD, b"", length=7),
    "length 65535 and no more": message(bfddp.ADD, b"", length=65535) + bytes(70000),
    "ADD too short": message(bfddp.ADD, GOOD.pack()[:60]),
    "counters of nobody": message(bfddp.ASK_COUNTERS, struct.pack("!I", 12345), 9),
    "an unknown type": message(99, b"xyz"),
    "our own types": b"".join(message(k, bytes(72)) for k in (4, 6)),
}


def test_garbage(scripted):
    """Whatever bfdd's bytes are: the session stays Up, and the next connection is taken."""
    it = scripted()
    it.good_session()
    since = time.time()
    for what, data in GARBAGE.items():
        with contextlib.suppress(BrokenPipeError):  # closed while it was still being said
            it.script.send(data)
        begin = time.monotonic()
        it.script.wait("a reaction", lambda: time.monotonic() > begin + 0.2)
        assert it.xdp.running(), what
        it.script.hang_up()  # what follows a message cut short would be taken for its rest
        it.script.wait("a new connection", lambda: it.script.connections)
        it.script.states.clear()
        it.script.send(GOOD.add())
        it.script.wait_state(GOOD.lid, UP)
    assert it.script.closed >= 5
    it.packets(10, since)
    assert it.xdp.peer(PEER)["flaps"] == 0
    it.bed.watch.flow(LOCAL, PEER).assert_fine()
    it.assert_idle()


MAX = 0xFFFFFFFF
ODD = {
    "intervals 0": dict(min_tx=0, min_rx=0, echo_tx=0, echo_rx=0),
    "intervals 1 us": dict(min_tx=1, min_rx=1, echo_tx=1, echo_rx=1, flags=bfddp.ECHO),
    "intervals without end": dict(min_tx=MAX, min_rx=MAX, echo_tx=MAX, echo_rx=MAX),
    "multiplier 0": dict(mult=0),
    "multiplier 255": dict(mult=255),
    "unknown flags": dict(flags=0xFFFFFF80),
    "all flags": dict(flags=MAX & ~bfddp.IPV6),
    "no such interface": dict(ifname="nowhere0", ifindex=9999),
    "name without end": dict(ifname="x" * 64),
    "TTL 0": dict(ttl=0),
    "lid 0": dict(lid=0),
    "peer 0.0.0.0": dict(dst="0.0.0.0"),
    "peer multicast": dict(dst="224.0.0.1"),
    "peer is the router itself": dict(dst=LOCAL),
    "local is nobody's": dict(src="192.0.2.200", ifname=""),
    "families mixed": dict(dst="2001:db8::2", src=LOCAL),
}


def test_odd_sessions(scripted):
    """Each alone, then all at once, beside a session that must not feel it."""
    it = scripted()
    it.good_session()
    since = time.time()
    lids = iter(range(1000, 2000))
    made = []
    for what, fields in ODD.items():
        fields = {"lid": next(lids), "dst": "10.0.0.55", "src": LOCAL, "ifname": "p0", **fields}
        made.append(Session(**fields))
        it.script.send(made[-1].add())
        answer = it.script.ask_counters(made[-1].lid)
        assert len(answer) == 72, what
        assert it.xdp.running(), what
    count = it.assert_idle()
    assert count < 200, f"{count} packets in a second and a half"
    for one in made:
        it.script.send(one.delete())
    it.script.send(made[0].delete())
    it.packets(10, since)
    assert it.xdp.peer(PEER)["flaps"] == 0
    assert {p.control.state for p in it.bed.watch.control(LOCAL, PEER, since)} == {UP}
    it.bed.watch.flow(LOCAL, PEER).assert_fine()


def test_fastest_intervals_make_no_storm(scripted):
    """1 us asked for by bfdd, 100 ms by the peer: the slower of the two is what counts."""
    it = scripted()
    it.script.send(Session(5, PEER, LOCAL, ifname="p0", min_tx=1, min_rx=1).add())
    it.script.wait("Up or not", lambda: it.script.states.get(5))
    count = it.assert_idle(3)
    assert count < 3 / 0.075 + 15, f"{count} packets in 3 s"


@pytest.mark.slow
def test_too_many_sessions(scripted):
    """10,000 are asked for; what is beyond the limit is refused, and said once or so."""
    it = scripted()
    it.good_session()
    since = time.time()
    for i in range(10000):
        one = Session(100000 + i, f"10.0.0.{3 + i % 250}", LOCAL, ifname="p0")
        one.flags, one.dst = bfddp.PASSIVE, f"10.{100 + i // 62500}.{i // 250 % 250}.{1 + i % 250}"
        it.script.send(one.add())
        if i % 500 == 0:
            it.script.pump()
    it.script.ask_counters(100001)
    lab_module.wait_until("8192 there", lambda: len(it.xdp.peers()) >= 8000, 30, 0.5)
    assert len(it.xdp.peers()) <= 8192
    assert it.assert_idle() < 100
    log = it.xdp.log.read_text()
    refusals = [line for line in log.splitlines() if "8192" in line or "8191" in line]
    assert 1 <= len(refusals) < 100, f"{len(refusals)} lines of refusal"
    it.packets(10, since)
    assert it.xdp.peer(PEER)["flaps"] == 0
