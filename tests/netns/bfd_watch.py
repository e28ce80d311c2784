# SPDX-License-Identifier: GPL-2.0-or-later
"""The far end as a judge: every BFD packet there, with the kernel's time, held against the RFCs.

A Watch captures on one interface of the peer's side. Its flow(src, dst) is what one system sent to
another for one session; faults() lists, in words, what of it RFC 5880, 5881 or 5883 does not allow.
"""
import bisect
import os
import select
import socket
import statistics
import struct
import threading
import time

import bfd_packet
import wire
from bfd_packet import ADMIN_DOWN, DOWN, FINAL, POLL, SLOW_US, UP

SO_TIMESTAMPNS = 35
ICMP_UNREACHABLE, ICMP6_UNREACHABLE = 3, 1
# How much later than due a packet may be seen on an idle machine, whose timers are late.
LATE_S = 0.02
# Whether that is a fault: on a machine that does nothing else. Elsewhere it says more of the machine.
PUNCTUAL = bool(os.environ.get("FRR_XDP_PUNCTUAL"))
# The clock that a sender waits by and the one that stamps frames are read some µs apart.
EARLY_S = 0.0005


def is_unreachable(frame):
    """An ICMP error that says: no such port, host or protocol."""
    ethertype = struct.unpack_from("!H", frame, 12)[0]
    if ethertype == 0x0800 and frame[23] == 1:
        return frame[14 + 4 * (frame[14] & 15)] == ICMP_UNREACHABLE
    return ethertype == 0x86DD and frame[20] == 58 and frame[54] == ICMP6_UNREACHABLE


class Delays:
    """How late this machine wakes a thread that slept: no sender can be more punctual than that."""

    def __init__(self):
        self._seen = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop)
        self._thread.start()

    def _loop(self):
        while not self._stop.is_set():
            begin = time.time()
            self._stop.wait(0.005)
            end = time.time()
            if end - begin > 0.008:
                self._seen.append((begin, end))

    def most(self, start, end):
        """The longest sleep that overlaps this time, in seconds."""
        return max((b - a for a, b in self._seen if a < end and b > start), default=0.0)

    def close(self):
        self._stop.set()
        self._thread.join()


class Flow:
    """The control packets of one sender to one receiver, and those that it got from there.

    late: how much later than due a packet may be; delays: and why (None: nothing excuses it);
    punctual: whether that is looked at."""

    def __init__(self, sent, got, late=LATE_S, strict=True, delays=None, punctual=PUNCTUAL):
        self.sent, self.got = sent, got
        self.late, self.strict, self.delays, self.punctual = late, strict, delays, punctual
        self._got_times = [g.time for g in got]

    def __len__(self):
        return len(self.sent)

    def gaps(self, state=UP):
        """Seconds between neighbouring packets, both in that state."""
        return [
            b.time - a.time
            for a, b in zip(self.sent, self.sent[1:])
            if a.control.state == b.control.state == state
        ]

    def faults(self):
        found = []
        for packet in self.sent:
            found += [f"{packet.time:.6f}: {what}" for what in self._packet_faults(packet)]
        ports = {packet.sport for packet in self.sent}
        if len(ports) > 1:
            found.append(f"source ports of one session: {sorted(ports)}")
        return found + list(self._timing_faults())

    def _packet_faults(self, packet):
        control = packet.control
        if packet.ttl != 255:
            yield f"TTL {packet.ttl}"  # RFC 5881 5
        if not 49152 <= packet.sport <= 65535:
            yield f"source port {packet.sport}"  # RFC 5881 4
        if not packet.checksums:
            yield "wrong or no checksum"
        if control is None or len(packet.payload) != 24:
            yield f"{len(packet.payload)} bytes of payload"
            return
        # RFC 5880 6.8.7, field by field
        if control.version != 1 or control.length != 24:
            yield f"version {control.version}, length {control.length}"
        if control.bits & (POLL | FINAL) == POLL | FINAL:
            yield "P and F in one packet"
        if control.bits & (bfd_packet.AUTH | bfd_packet.DEMAND | bfd_packet.MULTIPOINT):
            yield f"bits {control.bits:#x}"
        if not control.mult or not control.my_disc or not control.min_tx:
            yield f"zero in {control}"
        if control.state != UP and control.min_tx < SLOW_US:
            yield f"not Up, yet Desired Min TX {control.min_tx}"  # RFC 5880 6.8.3
        yield from self._discriminator_faults(packet)

    def _discriminator_faults(self, packet):
        """RFC 5880 6.8.7: what was received last, or zero if nothing was or after a timeout."""
        known = {g.control.my_disc for g in self.heard(packet.time, 30)}
        control = packet.control
        if control.your_disc and known and control.your_disc not in known:
            yield f"Your Discriminator {control.your_disc:#x} is nobody's"
        if not control.your_disc and control.state not in (DOWN, ADMIN_DOWN):
            yield f"Your Discriminator 0 in state {bfd_packet.STATES[control.state]}"

    def heard(self, before, seconds):
        """What came from the other side in the last seconds before that moment."""
        end = bisect.bisect_right(self._got_times, before)
        start = bisect.bisect_left(self._got_times, before - seconds)
        return self.got[start:end]

    def _timing_faults(self):
        """Gaps between periodic packets. F and news go out of turn, so their neighbours may be
        nearer; an answer to P is nobody's turn at all."""
        turns = [p for p in self.sent if not p.control.bits & FINAL]
        news = True
        for a, b in zip(turns, turns[1:]):
            old_news, news = news, a.control != b.control
            gap, (low, high) = b.time - a.time, self._limits(a, b)
            where = f"{b.time:.6f}: {gap * 1e3:.2f} ms after the last, allowed"
            if gap < low - EARLY_S and not news and not old_news:
                yield f"{where} from {low * 1e3:.2f}"
            allowed = high + self.late + self._delay(a, b, gap > high)
            if self.punctual and self.strict and gap > allowed:
                yield f"{where} to {high * 1e3:.2f}"

    def _delay(self, a, b, matters):
        return self.delays.most(a.time, b.time) if self.delays and matters else 0.0

    def _limits(self, a, b):
        """The least and the greatest gap that the intervals of the time allow: RFC 5880 6.8.2, 6.8.7.

        What the sender waits for is the greater of its Desired Min TX and the Required Min RX that
        it heard last; during a Poll Sequence that makes it slower, still the old one (6.8.3)."""
        mine = [p.control.min_tx for p in (a, b)]
        if (a.control.bits | b.control.bits) & POLL:
            mine += [p.control.min_tx for p in self.sent if a.time - 10 < p.time < a.time]
        theirs = [g.control.min_rx for g in self.heard(b.time, b.time - a.time)]
        theirs += [g.control.min_rx for g in self.heard(a.time, 60)[-2:]] or [0]
        low = max(min(mine), min(theirs)) / 1e6
        high = max(max(mine), max(theirs)) / 1e6
        return 0.75 * low, (0.9 if a.control.mult == 1 else 1.0) * high

    def assert_fine(self, least=1):
        assert len(self.sent) >= least, f"only {len(self.sent)} packets"
        found = self.faults()
        assert not found, f"{len(found)} faults in {len(self.sent)} packets: {found[:6]}"

    def states(self):
        """[(time, state)] whenever the state is another."""
        changes = []
        for packet in self.sent:
            if not changes or changes[-1][1] != packet.control.state:
                changes.append((packet.time, packet.control.state))
        return changes

    def median_gap(self):
        return statistics.median(self.gaps())


class Watch:
    """Everything on one interface, from now until close(), in a thread of its own."""

    def __init__(self, namespace, interface):
        self.port = wire.Port(namespace, interface)
        self.port.sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.seen, self.unreachable, self.delays = [], [], Delays()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop)
        self._thread.start()

    def _loop(self):
        while not self._stop.is_set():
            if not select.select([self.port.sock], [], [], 0.1)[0]:
                continue
            try:
                frame, ancillary, _, address = self.port.sock.recvmsg(2048, 64)
            except OSError:  # said once, when the link goes down
                continue
            stamp = next(data for _, kind, data in ancillary if kind == SO_TIMESTAMPNS)
            seconds, nanoseconds = struct.unpack("=qq", stamp)
            self._take(frame, seconds + nanoseconds / 1e9, address[2] == wire.PACKET_OUTGOING)

    def _take(self, frame, time, outgoing):
        if is_unreachable(frame):
            self.unreachable.append(frame)
        datagram = bfd_packet.parse(frame, time, outgoing)
        if datagram:
            self.seen.append(datagram)

    def control(self, src=None, dst=None, since=0.0):
        """Control packets between these addresses, all if None."""
        return [
            p
            for p in list(self.seen)
            if p.dport != bfd_packet.ECHO
            and p.time >= since
            and src in (None, p.src)
            and dst in (None, p.dst)
        ]

    def echo(self, since=0.0):
        return [p for p in list(self.seen) if p.dport == bfd_packet.ECHO and p.time >= since]

    def flow(self, src, dst, since=0.0, strict=True):
        got = [p for p in self.control(dst, src, since) if p.control]
        sent = self.control(src, dst, since)
        return Flow(sent, got, strict=strict, delays=self.delays)

    def flows(self, since=0.0, strict=True):
        """{(src, dst): Flow} of all that came in; what the peer sent itself is not on trial."""
        pairs = {(p.src, p.dst) for p in self.control(since=since) if not p.outgoing}
        return {pair: self.flow(*pair, since, strict) for pair in sorted(pairs)}

    def last(self, src, dst):
        packets = self.control(src, dst)
        return packets[-1] if packets else None

    def close(self):
        if not self._stop.is_set():
            self._stop.set()
            self._thread.join()
            self.delays.close()
            self.port.close()
