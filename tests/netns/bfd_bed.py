# SPDX-License-Identifier: GPL-2.0-or-later
"""Two neighbours, or one behind a middle router, with a Watch beside each far end.

    router  pI ---- hI  neighbour I  eI ---- x0  end I
            10.0.I.1 .2          10.90.I.1 .2
       2001:db8:I::1 ::2   2001:db8:90I::1 ::2
             fe80::1 ::2I

The router is lab.hosts()'s; end I is there once behind(I) was called. Every packet to or from the
end crosses hI too, where the Watch is.
"""
import bfd_peers
import bfd_watch
import lab as lab_module


class Bed:
    def __init__(self, lab, short="r", ports=1):
        self.lab, self.short = lab, short
        self.router = lab.hosts(short, ports)
        self.ends = {}
        self.watches = []
        for i in range(ports):
            whole_checksums(self.router, f"p{i}")
            self.watches.append(lab.owns(bfd_watch.Watch(self.router.far[i], f"h{i}")))

    @property
    def watch(self):
        return self.watches[0]

    def behind(self, i):
        """A namespace behind neighbour i, which forwards."""
        middle, end = self.router.far[i], self.lab.namespace(f"{self.short}-e{i}")
        middle.sysctl(ipv4__ip_forward=1, ipv6__conf__all__forwarding=1)
        middle.ip(*f"link add e{i} type veth peer name x0 netns {end.name}".split())
        middle.batch(
            [
                f"addr add 10.90.{i}.1/24 dev e{i}",
                f"addr add 2001:db8:90{i}::1/64 dev e{i} nodad",
                f"link set e{i} up",
            ]
        )
        end.batch(
            [
                f"addr add 10.90.{i}.2/24 dev x0",
                f"addr add 2001:db8:90{i}::2/64 dev x0 nodad",
                "link set x0 up",
                f"route add default via 10.90.{i}.1",
                f"route add default via 2001:db8:90{i}::1",
            ]
        )
        self.router.batch(
            [
                f"route add 10.90.{i}.0/24 via 10.0.{i}.2",
                f"route add 2001:db8:90{i}::/64 via 2001:db8:{i}::2",
            ]
        )
        whole_checksums(end, "x0")
        self.ends[i] = end
        return end


def whole_checksums(namespace, interface):
    """As a network card would make them: what is captured must be what a wire would carry."""
    namespace.run("ethtool", "-K", interface, "tx", "off", check=False)


def addresses(i, kind):
    """(the router's, the other's) for a kind of session over port i."""
    return {
        "ipv4": (f"10.0.{i}.1", f"10.0.{i}.2"),
        "ipv6": (
            lab_module.canonical(f"2001:db8:{i}::1"),
            lab_module.canonical(f"2001:db8:{i}::2"),
        ),
        "link-local": ("fe80::1", f"fe80::2{i}"),
        "multihop-ipv4": (f"10.0.{i}.1", f"10.90.{i}.2"),
        "multihop-ipv6": (
            lab_module.canonical(f"2001:db8:{i}::1"),
            f"2001:db8:90{i}::2",
        ),
    }[kind]


DIRECT = ("ipv4", "ipv6", "link-local")
MULTIHOP = ("multihop-ipv4", "multihop-ipv6")


def session(local, peer, interface, kind, interval_ms=300, multiplier=3, lines=()):
    """bfdd's lines for a session of that kind, seen from `local`."""
    if kind in MULTIHOP:
        lines = ["minimum-ttl 60", *lines]  # BIRD sends with TTL 64
    more = {"multihop": kind in MULTIHOP, "lines": lines}
    if kind != "ipv4":
        more["local"] = local
    return bfd_peers.peer_lines(
        peer, None if kind in MULTIHOP else interface, interval_ms, multiplier, **more
    )


def ours(i, kind, **more):
    """The router's side of a session over port i; more as for session()."""
    local, peer = addresses(i, kind)
    return session(local, peer, f"p{i}", kind, **more)


def theirs(i, kind, **more):
    local, peer = reversed(addresses(i, kind))
    return session(local, peer, f"h{i}", kind, **more)


def bird_neighbour(i, kind):
    peer, local = addresses(i, kind)
    if kind in MULTIHOP:
        return f"{peer} local {local} multihop yes"
    return f'{peer} dev "h{i}" local {local}'


def down(end, peers):
    """Those of the peers with whom it is not Up there."""
    view = end.view()
    return [p for p in peers if view.get(p, {}).get("status") != "up"]


def up(end, peers):
    return not down(end, peers)


def wait_up(ends, timeout=15):
    """ends: [(view, [peer address])]"""
    for end, peers in ends:
        missing = []

        def all_up():
            missing[:] = down(end, peers)
            return not missing

        try:
            lab_module.wait_until("Up", all_up, timeout)
        except AssertionError:
            raise AssertionError(f"after {timeout} s not Up at {end}: {missing}") from None


def assert_agree(here, local, peer, there=None):
    """vtysh, frr-xdp and the peer tell the same of a session. here: a BfdRouter; there: a Bfdd."""
    shown = here.bfdd.view()[peer]
    ours_ = here.xdp.peer(peer)
    assert ours_, f"frr-xdp does not show {peer}"
    assert ours_["status"] == shown["status"]
    assert (ours_["id"], ours_["remote-id"]) == (shown["id"], shown["remote-id"])
    if not there:
        return
    other = there.view()[local]
    assert other["status"] == shown["status"]
    assert (other["remote-id"], other["id"]) == (shown["id"], shown["remote-id"])
    for mine, remote in (
        ("receive-interval", "remote-receive-interval"),
        ("transmit-interval", "remote-transmit-interval"),
        ("detect-multiplier", "remote-detect-multiplier"),
    ):
        assert other[mine] == shown[remote], (mine, other, shown)
        assert other[remote] == shown[mine], (remote, other, shown)
