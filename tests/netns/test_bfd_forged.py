# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets that no peer sends, beside a session that is Up: nothing changes, and each is counted.

Every one of them says Down, with the right discriminators unless these are what is wrong: had it
been taken, the session would be down.
"""
import dataclasses
import struct
import time

import pytest

import bfd_bed
import bfd_packet
import bfd_peers
import lab as lab_module
import wire
from bfd_bed import addresses
from bfd_packet import AUTH, DOWN, INIT, MULTIPOINT, UP

TIMES = 5
AUTH_SECTION = struct.pack("!BBB", 1, 9, 1) + b"secret"


def control(true, **wrong):
    return dataclasses.replace(true, state=DOWN, **wrong)


# reason: (what it does to the packet's content, what to the frame, what goes behind the content)
FORGERIES = {
    "ttl": ({}, {"ttl": 254}, b""),
    "bad-checksum": ({}, {"checksum": 0x1234}, b""),
    "bad-version": ({"version": 0}, {}, b""),
    "bad-length": ({"length": 23}, {}, b""),
    "zero-multiplier": ({"mult": 0}, {}, b""),
    "multipoint": ({"bits": MULTIPOINT}, {}, b""),
    "zero-my-discriminator": ({"my_disc": 0}, {}, b""),
    "unknown-discriminator": ({"your_disc": 0xDEADBEEF}, {}, b""),
    "authentication": ({"bits": AUTH, "length": 33}, {}, AUTH_SECTION),
    "wrong-address": ({}, {"src": "other"}, b""),
}
MORE = {  # further ways to earn the same reason
    "bad-length, beyond the payload": ("bad-length", {"length": 25}, {}, b""),
    "bad-length, 24 with the A bit": ("bad-length", {"bits": AUTH}, {}, AUTH_SECTION),
    "bad-version 2": ("bad-version", {"version": 2}, {}, b""),
    "ttl 1": ("ttl", {}, {"ttl": 1}, b""),
}
CASES = {**{k: (k, *v) for k, v in FORGERIES.items()}, **MORE}
OTHERS = {"10.0.0.2": "10.0.0.77", "2001:db8::2": "2001:db8::77"}


class Up:
    """A session with BIRD that is Up, and a port to forge from."""

    def __init__(self, lab, bfd_at, logs, kind, options=()):
        self.bed = bfd_bed.Bed(lab)
        self.local, self.peer = addresses(0, kind)
        self.dut = bfd_at(self.bed.router, options=options)
        neighbours = [bfd_bed.bird_neighbour(0, kind)]
        self.bird = lab.owns(bfd_peers.Bird(self.bed.router.far[0], logs, neighbours, 100))
        self.dut.bfdd.configure(*bfd_bed.ours(0, kind, interval_ms=100))
        bfd_bed.wait_up([(self.dut.bfdd, [self.peer]), (self.bird, [self.local])])
        lab_module.wait_until("Up on the wire", self.steady)
        self.port = lab.owns(wire.Port(self.bed.router.far[0], "h0"))

    def steady(self):
        last = [self.bed.watch.last(*way) for way in self.ways()]
        return all(p and p.control.state == UP and not p.control.bits for p in last)

    def ways(self):
        return (self.local, self.peer), (self.peer, self.local)

    def rejects(self, reason):
        """By this session and by none."""
        mine = self.dut.xdp.peer(self.peer)["rejects"].get(reason, 0)
        return mine + self.dut.xdp.json("show", "bfd", "summary")["rejects"].get(reason, 0)

    def forge(self, payload, **fields):
        src = fields.pop("src", self.peer)
        src = OTHERS[self.peer] if src == "other" else src
        for _ in range(TIMES):
            self.port.send(bfd_packet.frame(src, self.local, payload, **fields))

    def assert_untouched(self, since):
        count = len(self.bed.watch.control(self.local, self.peer))
        lab_module.wait_until(
            "more packets", lambda: len(self.bed.watch.control(self.local, self.peer)) > count + 5
        )
        ours = self.dut.xdp.peer(self.peer)
        assert (ours["status"], ours["flaps"]) == ("up", 0)
        assert bfd_bed.up(self.bird, [self.local])
        flow = self.bed.watch.flow(self.local, self.peer, since)
        assert {p.control.state for p in flow.sent} == {UP}
        flow.assert_fine()
        assert not self.bed.watch.unreachable


@pytest.mark.parametrize("options", [(), ("--no-xdp",)], ids=["xdp", "sockets"])
@pytest.mark.parametrize("kind", ["ipv4", "ipv6"])
def test_forged_packets(lab, bfd_at, logs, kind, options):
    up = Up(lab, bfd_at, logs, kind, options)
    since = time.time()
    true = up.bed.watch.last(up.peer, up.local).control
    for what, (reason, content, fields, more) in CASES.items():
        if options and reason == "bad-checksum":
            continue  # the socket's kernel drops and counts it: it never comes to the daemon
        before = up.rejects(reason)
        up.forge(control(true, **content).pack(more), **fields)
        lab_module.wait_until(
            f"{what} counted", lambda: up.rejects(reason) >= before + TIMES, timeout=5
        )
        assert up.rejects(reason) == before + TIMES, what
    init = dataclasses.replace(true, state=INIT, your_disc=0)
    before = up.rejects("zero-discriminator-state")
    up.forge(init.pack())
    lab_module.wait_until(
        "discriminator 0 counted",
        lambda: up.rejects("zero-discriminator-state") == before + TIMES,
    )
    up.forge(true.pack()[:20])
    up.forge(b"")
    up.assert_untouched(since)


def test_wrong_interface(lab, bfd_at, logs):
    """The peer's very packet, on another port."""
    bed = bfd_bed.Bed(lab, ports=2)
    local, peer = addresses(0, "ipv4")
    dut = bfd_at(bed.router)
    bird = lab.owns(
        bfd_peers.Bird(bed.router.far[0], logs, [bfd_bed.bird_neighbour(0, "ipv4")], 100)
    )
    dut.bfdd.configure(
        *bfd_bed.ours(0, "ipv4", interval_ms=100),
        *bfd_bed.ours(1, "ipv4", interval_ms=100),
    )
    bfd_bed.wait_up([(dut.bfdd, [peer]), (bird, [local])])
    true = bed.watch.last(peer, local).control
    port = lab.owns(wire.Port(bed.router.far[1], "h1"))
    for _ in range(TIMES):
        port.send(bfd_packet.frame(peer, local, control(true).pack(), port=1))
    lab_module.wait_until(
        "counted", lambda: dut.xdp.peer(peer)["rejects"].get("wrong-interface") == TIMES
    )
    assert bfd_bed.up(bird, [local]) and dut.xdp.peer(peer)["flaps"] == 0


def test_a_flood_makes_no_storm(lab, bfd_at, logs):
    """Thousands of good packets a second: ours keep to their interval, whatever comes."""
    up = Up(lab, bfd_at, logs, "ipv4")
    since = time.time()
    true = up.bed.watch.last(up.peer, up.local).control
    sport = up.bed.watch.last(up.peer, up.local).sport
    frames = [
        bfd_packet.frame(up.peer, up.local, c.pack(), sport=sport)
        for c in (true, dataclasses.replace(true, diag=5), dataclasses.replace(true, min_rx=90000))
    ]
    for i in range(6000):
        up.port.send(frames[i % 3])
    up.assert_untouched(since)
    seconds = time.time() - since
    count = len(up.bed.watch.control(up.local, up.peer, since))
    assert count < seconds / 0.075 + 10, f"{count} packets in {seconds:.1f} s"
