# SPDX-License-Identifier: GPL-2.0-or-later
"""Many routes in and out while packets flow, and what it takes of memory."""
import pathlib

import pytest

import lab as lab_module
import wire
from bgp_speaker import Speaker
from test_routes import start, wait_connected

COUNT = 100_000
CONFIG = """
router bgp 65100
 bgp router-id 10.0.0.1
 no bgp ebgp-requires-policy
 neighbor 10.0.1.2 remote-as 65001
 neighbor 10.0.1.2 passive
exit
"""


def prefixes(count):
    return [f"{60 + (n >> 16)}.{n >> 8 & 255}.{n & 255}.0/24" for n in range(count)]


def resident_kib(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0])


@pytest.mark.slow
def test_100k_routes_in_and_out(lab, daemon, frr_at, ports, version):
    router = lab.hosts("r", 2)
    xdp = daemon(router)
    start(frr_at, router, version, "groups", "bgpd", config=CONFIG)
    wait_connected(xdp)
    taps = ports(router)
    table = prefixes(COUNT)
    speaker = lab.owns(Speaker(router.far[1], "10.0.1.2", "10.0.1.1", 65001))
    router.far[1].ip("route", "add", "blackhole", "60.0.0.0/6")
    start_routes = xdp.json("show", "summary")["routes"]["offloaded"]

    def offloaded():
        return xdp.json("show", "summary")["routes"]["offloaded"] - start_routes

    speaker.announce(table[:1000])
    lab_module.wait_until("the first 1000", lambda: offloaded() >= 1000, timeout=30)
    with wire.Stream(taps, "10.0.0.2", "60.0.0.1", rate=500) as stream:
        speaker.announce(table[1000:])
        lab_module.wait_until(
            "100k routes", lambda: offloaded() >= COUNT, timeout=120, interval=0.5
        )
        assert xdp.offloaded(table[-1])
        memory = resident_kib(xdp.process.pid)
        speaker.withdraw(table[1000:])
        lab_module.wait_until("all out", lambda: offloaded() <= 1000, timeout=120, interval=0.5)
    stream.assert_whole()
    assert memory < 150 * 1024, f"{memory} KiB with 100k routes"
    xdp.assert_consistent(timeout=60)


@pytest.mark.slow
def test_20k_kernel_routes_in_one_go(lab, daemon, ports):
    """Faster than the socket's buffer: what the kernel could not tell is asked for again."""
    router = lab.bench("r", 2)
    xdp = daemon(router)
    router.batch(f"route add 70.{n >> 8}.{n & 255}.0/24 via 10.0.1.2" for n in range(20_000))
    xdp.wait_offloaded("70.78.31.0/24", timeout=60)
    xdp.assert_consistent(timeout=60)
    router.ip("route", "flush", "root", "70.0.0.0/8")
    lab_module.wait_until("gone", lambda: xdp.route("70.78.31.0/24") is None, timeout=60)
    xdp.assert_consistent(timeout=60)


def test_the_table_limit(lab, daemon, ports):
    """Beyond the limit a prefix is Linux's; a shorter one that was taken must not catch its packets."""
    router = lab.bench("r", 3)
    router.ip("route", "add", "default", "via", "10.0.1.2")
    xdp = daemon(router, "-i", "p0", "-i", "p1", "-i", "p2", "--max-prefixes", "60")
    xdp.wait_offloaded("0.0.0.0/0")
    router.batch(f"route add 70.0.{n}.0/24 via 10.0.2.2" for n in range(100))

    def refused():
        return xdp.json("show", "summary")["routes"]["refused"] > 0

    lab_module.wait_until("some routes are refused", refused)
    taps = ports(router)
    taps.settle()
    sent = []
    for n in range(100):
        dst = f"70.0.{n}.1"
        sent.append(wire.frame(wire.ipv4("10.0.0.2", dst, wire.udp("10.0.0.2", dst))))
        taps[0].send(sent[-1])
    got = taps.settle()
    assert got[1] == [], "a refused prefix's packets took the default route"
    assert sorted(got[2]) == sorted(wire.forwarded(f, 2) for f in sent)
    router.ip("route", "flush", "root", "70.0.0.0/8")
    # A host route covers nothing that was refused: it may be forwarded at once.
    router.ip("route", "add", "71.0.0.1/32", "via", "10.0.2.2")
    xdp.wait_offloaded("71.0.0.1/32")
