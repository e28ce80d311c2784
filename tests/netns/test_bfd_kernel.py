# SPDX-License-Identifier: GPL-2.0-or-later
"""BFD's kernel half alone against FRR's bfdd: tests/lib/bfd_hand fills in one session by hand."""
import json
import signal
import socket
import struct
import subprocess
import time

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

import lab as lab_module
from bfd_watch import PUNCTUAL
from conftest import VERSIONS

INTERVAL_MS = 50
SECONDS = 3
OWN_ECHOES = 5
ENDS = {
    "ipv4": ("10.0.0.1", "10.0.0.2"),
    "ipv6": ("2001:db8::1", "2001:db8::2"),
    "link-local": ("fe80::1", "fe80::20"),
}
ETH_P_ALL = 3
SO_TIMESTAMPNS, OUTGOING = 35, 4


def configuration(local, peer, echo):
    lines = ["bfd", f" peer {local} local-address {peer} interface h0"]
    lines += [f"  receive-interval {INTERVAL_MS}", f"  transmit-interval {INTERVAL_MS}"]
    lines += ["  detect-multiplier 10"]  # bfdd itself is late now and then on a busy machine
    if echo:
        lines += ["  echo-mode", "  echo transmit-interval 50", "  echo receive-interval 50"]
    return "\n".join(lines + ["  no shutdown", " exit", "exit", ""])


class Capture:
    """Control packets that come in on an interface, with the kernel's time."""

    def __init__(self, namespace, interface):
        def opened():
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            sock.bind((interface, ETH_P_ALL))
            sock.setblocking(False)
            return sock

        self.sock = namespace.call(opened)

    def packets(self):
        """[(seconds, frame)]"""
        found = []
        while True:
            try:
                frame, extra, _, address = self.sock.recvmsg(2048, 256)
            except BlockingIOError:
                return found
            udp = 34 if frame[12:14] == b"\x08\x00" else 54
            if address[2] == OUTGOING or frame[udp + 2 : udp + 4] != struct.pack("!H", 3784):
                continue
            seconds, nanoseconds = struct.unpack("ll", extra[0][2])
            found.append((seconds + nanoseconds / 1e9, frame))

    def close(self):
        self.sock.close()


def start_hand(router, *argv):
    return router.popen(
        lab_module.BUILD / "tests/lib/bfd_hand", *argv, stdout=subprocess.PIPE, text=True
    )


def peers(bfdd):
    return json.loads(bfdd.vtysh("show bfd peers json"))


# Only echo packets are taken otherwise by one version than by the next.
SESSIONS = [(ends, False, "8.4") for ends in ENDS]
SESSIONS += [(ends, True, version) for ends in ENDS for version in VERSIONS]


@pytest.fixture(params=SESSIONS, ids=lambda s: f"{s[0]}{'-echo' if s[1] else ''}-{s[2]}")
def session(request, lab, frr_at):
    """A session that is Up: (bfdd, the hand's process, its router, name of its ends, echo)."""
    ends, echo, version = request.param
    local, peer = ENDS[ends]
    router = lab.hosts("r", 1)
    router.far[0].sysctl(ipv4__ip_forward=1, ipv4__conf__all__rp_filter=0)
    hand = start_hand(router, "p0", local, peer, INTERVAL_MS, *(["echo"] if echo else []))
    lab.defer(lab_module.end_process, hand)
    bfdd = frr_at(router.far[0], "bfdd", version=version, zebra=())
    bfdd.configure(configuration(local, peer, echo))

    def is_up():
        assert hand.poll() is None
        return [p for p in peers(bfdd) if p["status"] == "up"]

    lab_module.wait_until("the session is up", is_up)
    return bfdd, hand, router, ends, echo


def counters(bfdd):
    return json.loads(bfdd.vtysh("show bfd peers counters json"))[0]


def test_stays_up(session, lab):
    bfdd, hand, router, ends, echo = session
    wanted = {"transmit-interval": INTERVAL_MS, "receive-interval": INTERVAL_MS}
    lab_module.wait_until(
        "the intervals are negotiated",
        lambda: all(peers(bfdd)[0]["remote-" + key] == ms for key, ms in wanted.items()),
    )
    capture = lab.owns(Capture(router.far[0], "h0"))
    before = counters(bfdd)
    time.sleep(SECONDS)  # this is how long it is watched
    packets, after, status = capture.packets(), counters(bfdd), peers(bfdd)[0]["status"]
    if echo and ends == "ipv4":
        send_own_echoes(router)
    hand.send_signal(signal.SIGTERM)
    said = json.loads(hand.communicate(timeout=10)[0])
    print(said, before, after, len(packets))
    assert status == "up"
    assert after["session-down"] == before["session-down"] == 0
    assert said["downs"] == 0 and said["rejects"] == 0
    assert_paced([when for when, _ in packets], echo)
    assert {frame[22 if frame[12] == 8 else 21] for _, frame in packets} == {255}
    if echo:
        assert_echoed(said, before, after)


def assert_paced(times, echo):
    """Never before 75 % of the interval (RFC 5880 6.8.7), and hardly ever after all of it: where the
    peer's packet came too early for ours, the next one is waited for, as no daemon helps here. With
    echo packets FRR sends fewer control packets, and so we do.
    """
    gaps = [1000 * (b - a) for a, b in zip(times, times[1:])]
    assert min(gaps) > 0.7 * INTERVAL_MS
    if echo or not PUNCTUAL:
        return
    late = [gap for gap in gaps if gap > 1.1 * INTERVAL_MS]
    assert len(gaps) > SECONDS * 1000 / INTERVAL_MS * 0.8
    assert len(late) < len(gaps) / 10
    assert max(gaps) < 3 * INTERVAL_MS


def assert_echoed(said, before, after):
    """FRR takes what we turned round for its own (it sees TTL 254), and ours come back."""
    sent = after["echo-packet-output"] - before["echo-packet-output"]
    returned = after["echo-packet-input"] - before["echo-packet-input"]
    assert sent > 10 and abs(sent - returned) <= 2
    assert said["echo_looped"] >= after["echo-packet-input"]
    assert said["echo_rx"] >= max(OWN_ECHOES, 0.9 * said["echo_tx"])


def send_own_echoes(router):
    """Over IPv4 FRR leaves them to routing: addressed to ourselves, sent to the peer's MAC."""
    frame = (
        Ether(dst="02:00:00:00:02:00", src="02:00:00:00:01:00")
        / IP(src="10.0.0.1", dst="10.0.0.1", ttl=255)
        / UDP(sport=3785, dport=3785)
        / Raw(b"\x01\x18FX\x12\x34\x56\x78" + bytes(16))
    )

    def opened():
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sock.bind(("p0", ETH_P_ALL))
        return sock

    with router.call(opened) as sock:
        for _ in range(OWN_ECHOES):
            sock.send(bytes(frame))
