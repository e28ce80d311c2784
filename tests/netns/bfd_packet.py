# SPDX-License-Identifier: GPL-2.0-or-later
"""BFD control packets (RFC 5880 4.1) in their frames: made, also wrong on purpose, and taken apart."""
import dataclasses
import socket
import struct

import wire

SINGLE_HOP, MULTIHOP, ECHO = 3784, 4784, 3785
ADMIN_DOWN, DOWN, INIT, UP = range(4)
STATES = ("admin-down", "down", "init", "up")
POLL, FINAL, CPI, AUTH, DEMAND, MULTIPOINT = 0x20, 0x10, 8, 4, 2, 1
SLOW_US = 1000000  # RFC 5880 6.8.3: Desired Min TX Interval while the session is not Up


@dataclasses.dataclass
class Control:
    my_disc: int
    your_disc: int = 0
    state: int = DOWN
    bits: int = 0
    diag: int = 0
    mult: int = 3
    min_tx: int = SLOW_US  # microseconds, as the next two
    min_rx: int = SLOW_US
    min_echo_rx: int = 0
    version: int = 1
    length: int = 24

    def pack(self, more=b""):
        first = self.version << 5 | self.diag, self.state << 6 | self.bits, self.mult, self.length
        rest = self.my_disc, self.your_disc, self.min_tx, self.min_rx, self.min_echo_rx
        return struct.pack("!4B5I", *first, *rest) + more

    @classmethod
    def unpack(cls, payload):
        first, second, mult, length, *rest = struct.unpack_from("!4B5I", payload)
        my_disc, your_disc, min_tx, min_rx, min_echo_rx = rest
        return cls(
            my_disc,
            your_disc,
            second >> 6,
            second & 0x3F,
            first & 0x1F,
            mult,
            min_tx,
            min_rx,
            min_echo_rx,
            first >> 5,
            length,
        )

    def content(self):
        """All but the bits that come and go with a Poll Sequence."""
        return dataclasses.replace(self, bits=self.bits & ~(POLL | FINAL))


@dataclasses.dataclass
class Datagram:
    """UDP on one of BFD's ports, as it was on the wire."""

    time: float  # of the kernel, in seconds
    outgoing: bool  # sent by the namespace in which it was seen
    src: str
    dst: str
    ttl: int
    sport: int
    dport: int
    payload: bytes
    checksums: bool  # all of them right, and UDP's there
    frame: bytes

    @property
    def control(self):
        return Control.unpack(self.payload) if len(self.payload) >= 24 else None


def parse(frame, time=0.0, outgoing=False):
    """The Datagram in a frame, or None if it is no BFD."""
    ethertype = struct.unpack_from("!H", frame, 12)[0]
    if ethertype == 0x0800 and frame[23] == 17:
        head = 14 + 4 * (frame[14] & 15)
        ttl, fine = frame[22], wire.ones_sum(frame[14:head]) == 0xFFFF
        src, dst, family = frame[26:30], frame[30:34], socket.AF_INET
    elif ethertype == 0x86DD and frame[20] == 17:
        head, ttl, fine = 54, frame[21], True
        src, dst, family = frame[22:38], frame[38:54], socket.AF_INET6
    else:
        return None
    sport, dport, length, checksum = struct.unpack_from("!4H", frame, head)
    if dport not in (SINGLE_HOP, MULTIHOP, ECHO):
        return None
    udp = frame[head : head + length]
    pseudo = src + dst + struct.pack("!HBB", length, 0, 17)
    fine = fine and checksum != 0 and wire.ones_sum(pseudo + udp) == 0xFFFF
    names = [socket.inet_ntop(family, a) for a in (src, dst)]
    return Datagram(time, outgoing, *names, ttl, sport, dport, udp[8:], fine, frame)


def frame(src, dst, payload, port=0, ttl=255, dport=SINGLE_HOP, sport=49200, **bad):
    """In a frame from the host of `port` to the router. bad: checksum, dst_mac, src_mac."""
    datagram = wire.udp(src, dst, sport, dport, payload, bad.get("checksum"))
    macs = {"dst": bad.get("dst_mac"), "src": bad.get("src_mac")}
    if ":" in src:
        return wire.frame(wire.ipv6(src, dst, datagram, hops=ttl, tclass=0xC0), port, **macs)
    return wire.frame(wire.ipv4(src, dst, datagram, ttl=ttl, tos=0xC0), port, **macs)
