# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces, veth pairs and processes in them, all gone when the lab closes.

A router's port pI is one end of a veth pair; the other end, hI, is in a world of its own. MAC and IP
addresses follow from the port's number alone, so that two routers of one make are twins:

    router  pI  02:00:00:00:01:0I   10.0.I.1/24   2001:db8:I::1/64   fe80::1
    world   hI  02:00:00:00:02:0I   10.0.I.2      2001:db8:I::2      fe80::2 (a host: fe80::2I)
"""
import contextlib
import ctypes
import os
import pathlib
import socket
import subprocess
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FRR_XDP_BUILD", TOP / "build"))
TOOLS = TOP / "tests" / "lib"

_libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


def run(*argv, check=True, **kwargs):
    """The command's standard output; RuntimeError with all it said when it fails and check is set."""
    done = subprocess.run(
        [str(a) for a in argv],
        stdin=kwargs.pop("stdin", None) or (None if "input" in kwargs else subprocess.DEVNULL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=kwargs.pop("timeout", 60),
        **kwargs,
    )
    if check and done.returncode:
        said = (done.stdout + done.stderr).strip()
        raise RuntimeError(f"{' '.join(map(str, argv))}: exit {done.returncode}: {said}")
    return done.stdout if check else done


def wait_until(what, condition, timeout=15.0, interval=0.05):
    """Polls until condition() is true and gives its value; AssertionError naming `what` when late."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"after {timeout} s still not: {what} (last: {value!r})")
        time.sleep(interval)


def end_process(process, timeout=10):
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise AssertionError(f"{process.args} did not end on SIGTERM") from None


class Namespace:
    def __init__(self, name):
        self.name = name
        run("ip", "netns", "add", name)
        self.ip("link", "set", "lo", "up")

    def prefix(self):
        # Not `ip netns exec`: its fresh /sys would hide the bpf file system.
        return ["nsenter", f"--net=/run/netns/{self.name}"]

    def run(self, *argv, **kwargs):
        return run(*self.prefix(), *argv, **kwargs)

    def popen(self, *argv, **kwargs):
        return subprocess.Popen(
            self.prefix() + [str(a) for a in argv], stdin=subprocess.DEVNULL, **kwargs
        )

    def ip(self, *argv, **kwargs):
        return run("ip", "-n", self.name, *argv, **kwargs)

    def batch(self, lines):
        run("ip", "-n", self.name, "-batch", "-", input="\n".join(lines) + "\n")

    def sysctl(self, **values):
        """ipv4__ip_forward=1 and the like; /proc/sys/net is that of the thread that opens it."""

        def write():
            for key, value in values.items():
                pathlib.Path("/proc/sys/net", key.replace("__", "/")).write_text(f"{value}\n")

        self.call(write)

    def call(self, function):
        """function() in a thread inside this namespace: sockets opened there stay there."""
        result = {}

        def inside():
            try:
                with open(f"/run/netns/{self.name}", "rb") as handle:
                    if _libc.setns(handle.fileno(), CLONE_NEWNET):
                        raise OSError(ctypes.get_errno(), "setns")
                result["value"] = function()
            except BaseException as error:  # handed to the caller below
                result["error"] = error

        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
        if "error" in result:
            raise result["error"]
        return result["value"]

    def close(self):
        run("ip", "netns", "del", self.name, check=False)


class Router(Namespace):
    """A forwarding namespace with `ports` ports; far[i] is the namespace in which hI is."""

    def __init__(self, name, ports, far, mtu=1500):
        super().__init__(name)
        self.ports, self.far = ports, far
        self.sysctl(
            ipv4__ip_forward=1,
            ipv4__icmp_ratemask=0,
            ipv4__conf__all__rp_filter=0,
            ipv4__conf__default__rp_filter=0,
            ipv6__icmp__ratemask="",
            ipv6__auto_flowlabels=0,
            ipv6__conf__all__forwarding=1,
            ipv6__conf__default__accept_dad=0,
            ipv6__conf__default__router_solicitations=0,
        )
        for i in range(ports):
            self._add_port(i, mtu[i] if isinstance(mtu, (list, tuple)) else mtu)

    def _add_port(self, i, mtu):
        far = self.far[i]
        # Linux tells of a lost carrier at once if the two ends' indexes differ, and else within a
        # second (linkwatch_urgent_event(), net/core/link_watch.c).
        self.ip(
            *f"link add p{i} index {10 + i} mtu {mtu} address 02:00:00:00:01:{i:02x}".split(),
            *f"type veth peer name h{i} index {50 + i} mtu {mtu}".split(),
            *f"address 02:00:00:00:02:{i:02x} netns {far.name}".split(),
        )
        self.sysctl(**{f"ipv6__conf__p{i}__addr_gen_mode": 1})
        self.batch(
            [
                f"addr add 10.0.{i}.1/24 brd + dev p{i}",
                f"addr add 2001:db8:{i}::1/64 dev p{i} nodad",
                f"addr add fe80::1/64 dev p{i} nodad",
                f"link set p{i} up",
            ]
        )

    def know_neighbours(self):
        """The far ends' addresses, for ever: nobody there has to answer ARP."""
        for i in range(self.ports):
            mac = f"02:00:00:00:02:{i:02x}"
            self.batch(
                f"neigh replace {a} lladdr {mac} dev p{i} nud permanent"
                for a in (f"10.0.{i}.2", f"2001:db8:{i}::2", "fe80::2")
            )


class Lab:
    """Owner of all that a test makes. xdp_pass is the object for the far ends (see far_end_xdp)."""

    def __init__(self, tag, xdp_pass):
        self.tag, self.xdp_pass = tag, xdp_pass
        self._stack = contextlib.ExitStack()
        self._names = set()

    def name(self, short):
        full = f"fx-test-{self.tag}-{short}"
        assert full not in self._names
        self._names.add(full)
        return full

    def owns(self, thing):
        self._stack.callback(thing.close)
        return thing

    def defer(self, function, *args):
        self._stack.callback(function, *args)

    def namespace(self, short):
        return self.owns(Namespace(self.name(short)))

    def bench(self, short, ports=3, mtu=1500):
        """A router whose far ends are bare: frames are put in and taken out by wire.Port."""
        world = self.namespace(short + "-w")
        world.sysctl(ipv6__conf__default__disable_ipv6=1, ipv6__conf__all__disable_ipv6=1)
        router = self.owns(Router(self.name(short), ports, [world] * ports, mtu))
        for i in range(ports):
            world.ip("link", "set", f"h{i}", "arp", "off", "up")
            self.far_end_xdp(world, f"h{i}")
        router.know_neighbours()
        return router

    def hosts(self, short, ports=3, mtu=1500):
        """A router with a real host behind each port."""
        far = [self.namespace(f"{short}-h{i}") for i in range(ports)]
        router = self.owns(Router(self.name(short), ports, far, mtu))
        for i, host in enumerate(far):
            host.sysctl(**{f"ipv6__conf__h{i}__addr_gen_mode": 1})
            host.batch(
                [
                    f"addr add 10.0.{i}.2/24 dev h{i}",
                    f"addr add 2001:db8:{i}::2/64 dev h{i} nodad",
                    f"addr add fe80::2{i}/64 dev h{i} nodad",
                    f"link set h{i} up",
                    f"route add default via 10.0.{i}.1",
                    f"route add default via 2001:db8:{i}::1",
                ]
            )
            self.far_end_xdp(host, f"h{i}")
        return router

    def far_end_xdp(self, namespace, interface):
        """A veth takes redirected frames only if its peer has native XDP (or GRO), and a checksum
        that the sender left to the hardware is never made whole. GRO would merge what we compare.
        """
        namespace.ip("link", "set", interface, "xdpdrv", "obj", self.xdp_pass, "sec", "xdp.frags")
        namespace.run("ethtool", "-K", interface, "tx", "off", "gro", "off", check=False)

    def close(self):
        self._stack.close()


def canonical(address):
    """As inet_ntop() writes it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.inet_ntop(family, socket.inet_pton(family, address))
