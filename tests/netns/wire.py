# SPDX-License-Identifier: GPL-2.0-or-later
"""Raw frames into and out of a bench's far ends, and streams that count what gets lost."""
import errno
import select
import socket
import struct
import threading
import time

ETH_P_ALL = 0x0003
PACKET_OUTGOING = 4
SOL_PACKET, PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC = 263, 1, 1
SO_RCVBUFFORCE = 33


ARP, IPV6 = 0x0806, 0x86DD
NEIGHBOUR_TYPES = range(133, 138)  # router and neighbour discovery
MLD_REPORT = 143


def is_upkeep(frame):
    """ARP, neighbour discovery and MLD of the router itself: fpm-xdp may have neighbours probed when
    Linux alone would not have."""
    ethertype = struct.unpack_from("!H", frame, 12)[0]
    if ethertype == ARP:
        return True
    if ethertype != IPV6:
        return False
    at = 62 if frame[20] == 0 else 54  # MLD comes behind a hop-by-hop header
    return len(frame) > at and frame[at] in (*NEIGHBOUR_TYPES, MLD_REPORT) and frame[21] in (1, 255)


class Port:
    """An AF_PACKET socket on one interface of a namespace."""

    def __init__(self, namespace, interface):
        def opened():
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
            sock.bind((interface, ETH_P_ALL))
            member = struct.pack(
                "iHH8s", socket.if_nametoindex(interface), PACKET_MR_PROMISC, 0, b""
            )
            sock.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, member)
            sock.setblocking(False)
            return sock

        self.sock = namespace.call(opened)

    def send(self, frame):
        self.sock.send(frame)

    def drain(self):
        """Every frame that came in so far, without the router's upkeep."""
        frames = []
        while True:
            try:
                frame, address = self.sock.recvfrom(65536)
            except BlockingIOError:
                return frames
            except OSError as error:
                if error.errno != errno.ENETDOWN:  # said once, when the link goes down
                    raise
                continue
            if address[2] != PACKET_OUTGOING and not is_upkeep(frame):
                frames.append(frame)

    def close(self):
        self.sock.close()


class Ports:
    """All far ends of a bench."""

    def __init__(self, router):
        self.ports = [Port(router.far[i], f"h{i}") for i in range(router.ports)]

    def __getitem__(self, i):
        return self.ports[i]

    def drain(self):
        return [port.drain() for port in self.ports]

    def wait(self, timeout):
        return select.select([p.sock for p in self.ports], [], [], timeout)[0]

    def settle(self, quiet=0.15, deadline=3.0):
        """What comes until nothing did for `quiet` seconds: a list of frames for each port."""
        got = [[] for _ in self.ports]
        end = time.monotonic() + deadline
        while time.monotonic() < end and self.wait(quiet):
            for frames, new in zip(got, self.drain()):
                frames += new
        return got

    def close(self):
        for port in self.ports:
            port.close()


def ones_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def csum(data):
    return ~ones_sum(data) & 0xFFFF


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def router_mac(i):
    return bytes((2, 0, 0, 0, 1, i))


def host_mac(i):
    return bytes((2, 0, 0, 0, 2, i))


def address(text):
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def udp(src, dst, sport=1000, dport=2000, payload=b"", checksum=None):
    """A UDP datagram with its checksum over the pseudo header of these addresses."""
    src, dst = address(src), address(dst)
    head = struct.pack("!HHHH", sport, dport, 8 + len(payload), 0)
    pseudo = src + dst + struct.pack("!HBB", 8 + len(payload), 0, 17)
    if checksum is None:
        checksum = csum(pseudo + head + payload) or 0xFFFF
    return head[:6] + struct.pack("!H", checksum) + payload


def ipv4(
    src, dst, payload, proto=17, ttl=64, ident=1, flags=0, offset=0, tos=0, options=b"", **bad
):
    """bad: total, csum, ihl or version, to be wrong on purpose."""
    ihl = bad.get("ihl", 5 + len(options) // 4)
    head = struct.pack(
        "!BBHHHBBH4s4s",
        bad.get("version", 4) << 4 | ihl,
        tos,
        bad.get("total", 20 + len(options) + len(payload)),
        ident,
        flags << 13 | offset,
        ttl,
        proto,
        0,
        address(src),
        address(dst),
    )
    checksum = bad.get("csum", csum(head + options))
    return head[:10] + struct.pack("!H", checksum) + head[12:] + options + payload


def ipv6(src, dst, payload, proto=17, hops=64, tclass=0, flow=0, **bad):
    head = struct.pack(
        "!IHBB",
        bad.get("version", 6) << 28 | tclass << 20 | flow,
        bad.get("length", len(payload)),
        proto,
        hops,
    )
    return head + address(src) + address(dst) + payload


def frame(packet, port=0, dst=None, src=None, ethertype=None, pad=0, tags=b""):
    """In an Ethernet frame from the host of `port` to the router's port there."""
    if ethertype is None:
        ethertype = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    whole = (dst or router_mac(port)) + (src or host_mac(port)) + tags
    whole += struct.pack("!H", ethertype) + packet
    return whole.ljust(pad, b"\0")


def forwarded(whole, port, next_hop=None):
    """The frame as any router sends it on out of `port`: MACs, TTL, checksum; nothing else."""
    packet = bytearray(whole[14:])
    if packet[0] >> 4 == 4:
        packet[8] -= 1
        packet[10:12] = b"\0\0"
        packet[10:12] = struct.pack("!H", csum(bytes(packet[:20])))
    else:
        packet[7] -= 1
    return (next_hop or host_mac(port)) + router_mac(port) + whole[12:14] + bytes(packet)


class Stream:
    """UDP packets with running numbers, from many flows, at a steady rate, from port `into` to `to`.

    In a thread of its own between start() and stop(). received[port] maps each number that came out
    there to how often; wrong holds what came out changed in other ways than a router may.
    """

    def __init__(self, ports, src, to, into=0, rate=2000, flows=64, next_hops=None):
        self.ports, self.src, self.to, self.into = ports, src, to, into
        self.rate, self.flows, self.next_hops = rate, flows, next_hops or {}
        self.sent, self.wrong = 0, []
        self.received = [{} for _ in ports.ports]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop)

    def packet(self, number):
        body = struct.pack("!4sI", b"flow", number)
        datagram = udp(self.src, self.to, 1000 + number % self.flows, 2000, body)
        make = ipv6 if ":" in self.to else ipv4
        return frame(make(self.src, self.to, datagram), self.into)

    def start(self):
        self._thread.start()
        return self

    def stop(self):
        self._stop.set()
        self._thread.join()
        for i, frames in enumerate(self.ports.settle()):
            self._take(i, frames)
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def _loop(self):
        begin = time.monotonic()
        while not self._stop.is_set():
            due = int((time.monotonic() - begin) * self.rate)
            while self.sent < due:
                self.ports[self.into].send(self.packet(self.sent))
                self.sent += 1
            self.ports.wait(0)
            for i, frames in enumerate(self.ports.drain()):
                self._take(i, frames)
            self._stop.wait(0.002)

    def _take(self, i, frames):
        for got in frames:
            at = got.find(b"flow", 14)
            if at < 0:
                continue
            number = struct.unpack_from("!I", got, at + 4)[0]
            self.received[i][number] = self.received[i].get(number, 0) + 1
            allowed = self.next_hops.get(i, [host_mac(i)])
            if got not in [forwarded(self.packet(number), i, hop) for hop in allowed]:
                self.wrong.append((i, number, got.hex()))

    def lost(self):
        came = set().union(*self.received)
        return [n for n in range(self.sent) if n not in came]

    def doubled(self):
        times = {}
        for seen in self.received:
            for number, count in seen.items():
                times[number] = times.get(number, 0) + count
        return [n for n, count in times.items() if count > 1]

    def port_of_flow(self, since=0, until=None):
        """Which ports each flow left by, among numbers in [since, until)."""
        ways = {}
        for i, seen in enumerate(self.received):
            for number in seen:
                if since <= number and (until is None or number < until):
                    ways.setdefault(number % self.flows, set()).add(i)
        return ways

    def assert_whole(self):
        lost, doubled = self.lost(), self.doubled()
        assert (
            not lost
        ), f"{len(lost)} of {self.sent} packets lost, first {lost[:5]}, last {lost[-5:]}"
        assert not doubled, f"sent on twice: {doubled[:5]}"
        assert not self.wrong, f"changed on the way: {self.wrong[:3]}"
