# SPDX-License-Identifier: GPL-2.0-or-later
"""FPM frames from lines of text, in netlink and in protobuf (grammar: tests/vectors/README.md).

    route add 192.0.2.0/24 nexthop via 10.0.0.2 dev eth1 weight 2 nexthop via 10.0.1.2 dev eth2
    route add 2001:db8::/32 table 100 proto bgp nhid 33 ; nh add 33 group 31*1 32*4
    route add 192.0.2.0/24 blackhole

What is left out is as zebra's dplane_fpm_nl sends it for a static route: table 254, protocol 196,
priority 20. Messages between which a lone ";" stands share one frame.
"""
import ipaddress
import socket
import struct

NETLINK, PROTOBUF = 1, 2
NEWROUTE, DELROUTE, NEWNEXTHOP, DELNEXTHOP, NEWNEIGH = 24, 25, 104, 105, 28
PROTOCOLS = {
    "kernel": 2,
    "zebra": 11,
    "babel": 42,
    "bgp": 186,
    "isis": 187,
    "ospf": 188,
    "rip": 189,
    "ripng": 190,
    "eigrp": 192,
    "sharp": 194,
    "static": 196,
}
KINDS = {"unicast": 1, "blackhole": 6, "unreachable": 7, "prohibit": 8}
ENCAPS = {  # kind: (type, nest)
    "mpls": (1, (1, struct.pack("!I", 16 << 12 | 1 << 8))),
    "srv6": (5, (1, struct.pack("=i", 1) + bytes((2, 0, 4, 0, 0, 0, 0, 0)) + bytes(16))),
    "vxlan": (100, (0, struct.pack("=I", 4001))),
}
NUMBERS = ("table", "vrf", "tos", "metric", "mtu", "nhid")
FLAGS = ("replace", "append", "blackhole", "resilient", "fdb", "connected")
ONLINK = 4
NESTED = 0x8000


class TextError(ValueError):
    """A line that does not follow the grammar."""


class Path:
    def __init__(self):
        self.via, self.dev, self.weight, self.onlink, self.encap = None, 0, 1, False, None


class Message:
    def __init__(self):
        self.verb = self.prefix = self.source = self.proto = None
        self.numbers = {"table": 254}
        self.kind, self.nh_id = "unicast", 0
        self.flags, self.paths, self.group = set(), [], []


def number(word, names=()):
    if word in names:
        return names[word]
    try:
        return int(word, 0)
    except ValueError:
        raise TextError(f"no number: {word}") from None


def device(word):
    return int(word) if word.isdigit() else socket.if_nametoindex(word)


def parse_path(path, words):
    """Takes a path's words off the list; what is not a path's stays."""
    while words:
        if words[0] == "via":
            path.via = ipaddress.ip_address(words[1])
        elif words[0] == "dev":
            path.dev = device(words[1])
        elif words[0] == "weight":
            path.weight = number(words[1])
        elif words[0] == "encap":
            path.encap = words[1]
        elif words[0] == "onlink":
            path.onlink = True
            words.insert(1, "")
        elif words[0] == "v4ll":
            words.insert(1, "")
        else:
            return
        del words[:2]


def parse_group(words):
    group = []
    while words and words[0][0].isdigit():
        member, _, weight = words.pop(0).partition("*")
        group.append((number(member), number(weight or "1")))
    return group


def parse_words(msg, words):
    while words:
        word = words.pop(0)
        if word in NUMBERS:
            msg.numbers[word] = number(words.pop(0))
        elif word == "proto":
            msg.proto = number(words.pop(0), PROTOCOLS)
        elif word == "from":
            msg.source = ipaddress.ip_network(words.pop(0))
        elif word in KINDS and msg.verb[0] == "route":
            msg.kind = word
        elif word in FLAGS:
            msg.flags.add(word)
        elif word == "group":
            msg.group = parse_group(words)
        elif word == "nexthop":
            msg.paths.append(Path())
            parse_path(msg.paths[-1], words)
        else:
            raise TextError(f"not understood: {word}")


def parse(text):
    """One message."""
    words = text.split()
    msg = Message()
    msg.verb = tuple(words[:2])
    if msg.verb in (("route", "add"), ("route", "del")):
        msg.prefix = ipaddress.ip_network(words[2])
    elif msg.verb in (("nh", "add"), ("nh", "del")):
        msg.nh_id = number(words[2])
    elif words[:1] == ["skip"]:
        return msg
    else:
        raise TextError(f"not understood: {text}")
    if msg.proto is None:
        msg.proto = 196 if msg.prefix else 11
    try:
        parse_words(msg, words[3:])
    except IndexError:
        raise TextError(f"ends too early: {text}") from None
    return msg


# ---- netlink ----


def attr(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def u32(kind, value):
    return attr(kind, struct.pack("=I", value))


def encap_attrs(kind, types):
    number_, (inner, data) = ENCAPS[kind]
    return attr(types[0], struct.pack("=H", number_)) + attr(types[1] | NESTED, attr(inner, data))


def path_attrs(path, version):
    """RTA_GATEWAY or RTA_VIA, and encapsulation; the interface stands elsewhere."""
    data = b""
    if path.via and path.via.version == version:
        data += attr(5, path.via.packed)
    elif path.via:
        family = socket.AF_INET6 if path.via.version == 6 else socket.AF_INET
        data += attr(18, struct.pack("=H", family) + path.via.packed)
    if path.encap:
        data += encap_attrs(path.encap, (21, 22))
    return data


def multipath(msg, old):
    data = b""
    for path in msg.paths:
        inner = path_attrs(path, msg.prefix.version)
        hops = path.weight if old else path.weight - 1
        data += struct.pack("=HBBi", 8 + len(inner), ONLINK * path.onlink, hops, path.dev) + inner
    return attr(9 | NESTED, data)


def netlink(kind, flags, body, pid):
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 0, pid) + body


def route_netlink(msg, pid, old):
    add, n = msg.verb[1] == "add", msg.numbers
    family = socket.AF_INET6 if msg.prefix.version == 6 else socket.AF_INET
    single = msg.paths[0] if len(msg.paths) == 1 else None
    table = 0 if old and not add else n["table"]
    body = struct.pack(
        "=BBBBBBBBI",
        family,
        msg.prefix.prefixlen,
        msg.source.prefixlen if msg.source else 0,
        n.get("tos", 0),
        table if table < 256 else 0,
        0 if old and not add else msg.proto,
        0,
        KINDS[msg.kind] if add else 0,
        ONLINK * bool(single and single.onlink),
    )
    body += attr(1, msg.prefix.network_address.packed)
    if msg.source:
        body += attr(2, msg.source.network_address.packed)
    if add or not old:
        body += u32(6, n.get("metric", 0 if old else 20))
    if table >= 256:
        body += u32(15, table)
    if "mtu" in n:
        body += attr(8 | NESTED, u32(2, n["mtu"]))
    if "nhid" in n:
        body += u32(30, n["nhid"])
    if single:
        body += path_attrs(single, msg.prefix.version) + (u32(4, single.dev) if single.dev else b"")
    elif msg.paths:
        body += multipath(msg, old)
    return netlink(NEWROUTE if add else DELROUTE, 0x401 if old or not add else 0x501, body, pid)


def nexthop_netlink(msg, pid):
    if msg.verb[1] == "del":
        return netlink(
            DELNEXTHOP, 0x401, struct.pack("=BBBBI", 0, 0, 0, 0, 0) + u32(1, msg.nh_id), pid
        )
    path = msg.paths[0] if msg.paths else Path()
    family = socket.AF_INET6 if path.via and path.via.version == 6 else socket.AF_INET
    body = struct.pack("=BBBBI", 0 if msg.group else family, 0, msg.proto, 0, ONLINK * path.onlink)
    body += u32(1, msg.nh_id)
    if msg.group:
        body += attr(2, b"".join(struct.pack("=IHH", i, w - 1, 0) for i, w in msg.group))
    if "resilient" in msg.flags:
        body += attr(12 | NESTED, attr(1, struct.pack("=H", 64))) + attr(3, struct.pack("=H", 1))
    if "blackhole" in msg.flags:
        body += attr(4, b"")
    if "fdb" in msg.flags:
        body += attr(11, b"")
    if path.via:
        body += attr(6, path.via.packed)
    if path.dev:
        body += u32(5, path.dev)
    if path.encap:
        body += encap_attrs(path.encap, (7, 8))
    return netlink(NEWNEXTHOP, 0x501, body, pid)


def skip_netlink(kind, pid):
    if kind == "mpls":  # an LSP of label 16
        body = struct.pack("=BBBBBBBBI", 28, 20, 0, 0, 254, 196, 0, 1, 0)
        return netlink(NEWROUTE, 0x501, body + attr(1, struct.pack("!I", 16 << 12 | 1 << 8)), pid)
    if kind == "evpn-mac":
        body = struct.pack("=BBHiHBB", 7, 0, 0, 9, 2, 0x12, 0) + attr(
            2, bytes.fromhex("020000000001")
        )
        return netlink(NEWNEIGH, 0x501, body, pid)
    raise TextError(f"cannot make: skip {kind}")


# ---- protobuf ----


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return out + bytes((value,))


def field(number_, value):
    """An int is a varint, bytes have a length."""
    if isinstance(value, int):
        return varint(number_ << 3) + varint(value & (1 << 64) - 1)
    return varint(number_ << 3 | 2) + varint(len(value)) + value


def path_protobuf(path):
    out = field(2, field(1, path.dev)) if path.dev else b""
    if path.via and path.via.version == 4:
        out += field(3, field(1, varint(1 << 3 | 5) + struct.pack("<I", int(path.via))))
    elif path.via:
        out += field(3, field(2, field(1, path.via.packed)))
    return field(9, out)


def protobuf(msg):
    if msg.verb[0] != "route":
        raise TextError("protobuf has routes only")
    add, prefix = msg.verb[1] == "add", msg.prefix
    raw = prefix.network_address.packed[: (prefix.prefixlen + 7) // 8]
    body = field(1, msg.numbers.get("vrf", 0)) + field(2, 1 if prefix.version == 4 else 2)
    body += field(3, 1) + field(4, field(1, field(1, prefix.prefixlen) + field(2, raw)))
    if add:
        protocol = {2: 3, 196: 4, 189: 5, 190: 6, 188: 7, 187: 8, 186: 9}.get(msg.proto, 10)
        if "connected" in msg.flags:
            protocol = 2
        body += field(5, {"unicast": 1, "unreachable": 2}.get(msg.kind, 3)) + field(6, protocol)
        body += field(8, msg.numbers.get("metric", 0))
        body += b"".join(path_protobuf(path) for path in msg.paths)
    return field(1, 1 if add else 2) + field(2 if add else 3, body)


# ---- frames ----


def frame(payload, kind=NETLINK):
    return struct.pack("!BBH", 1, kind, 4 + len(payload)) + payload


def message(text, form="netlink", pid=1):
    msg = parse(text)
    if form == "protobuf":
        return protobuf(msg)
    if msg.verb[0] == "skip":
        return skip_netlink(msg.verb[1], pid)
    if msg.verb[0] == "nh":
        return nexthop_netlink(msg, pid)
    return route_netlink(msg, pid, form == "old")


def frames(line, form="netlink", pid=1):
    """The bytes for one line: a frame, or one for each message in protobuf."""
    messages = [message(part, form, pid) for part in line.split(" ; ")]
    if form == "protobuf":
        return b"".join(frame(m, PROTOBUF) for m in messages)
    return frame(b"".join(messages))


def repeat(count, line, form="netlink", pid=1):
    """The line, and count - 1 times the same for the next prefix of its length."""
    words = line.split()
    net = ipaddress.ip_network(words[2])
    base, step = int(net.network_address), 1 << (net.max_prefixlen - net.prefixlen)
    for i in range(count):
        address = net.network_address.__class__(base + i * step)
        words[2] = f"{address}/{net.prefixlen}"
        yield frames(" ".join(words), form, pid)
