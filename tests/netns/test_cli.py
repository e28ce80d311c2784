# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: every show as table and as JSON, exit codes, what is refused."""
import json

import pytest

import lab as lab_module
import wire
import xdp as xdp_module

SHOWS = "summary route nexthop-group neighbor interface counters consistency".split()


@pytest.fixture
def target(lab, daemon):
    router = lab.bench("r", 3)
    router.batch(
        [
            "route add 40.0.0.0/8 nexthop via 10.0.1.2 weight 2 nexthop via 10.0.2.2",
            "route add 41.0.0.0/8 via 10.0.1.99",
            "route add blackhole 42.0.0.0/8",
            "route add 2001:db8:4000::/48 via fe80::2 dev p2",
        ]
    )
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    return router, xdp


@pytest.mark.parametrize("what", SHOWS)
def test_show(target, what):
    _, xdp = target
    text = xdp.cli("show", what)
    shown = xdp.json("show", what)
    assert isinstance(shown, dict)
    if what not in ("counters", "consistency"):
        assert len(text.splitlines()) > 2, text


def test_show_route_of_an_address(target):
    _, xdp = target
    shown = xdp.json("show", "route", "40.1.2.3")
    assert shown["prefix"] == "40.0.0.0/8" and shown["verdict"] == "forwarded"
    assert sorted(n["weight"] for n in shown["nexthops"]) == [1, 2]
    shown = xdp.json("show", "route", "42.0.0.1")
    assert shown["verdict"] == "dropped" and shown["reason"] == "blackhole"
    shown = xdp.json("show", "route", "41.0.0.1")
    assert shown["verdict"] == "passed" and shown["reason"] == "neighbor-unresolved"
    shown = xdp.json("show", "route", "2001:db8:4000::1")
    assert shown["nexthop"]["interface"] == "p2"
    assert shown["nexthop"]["mac"] == "02:00:00:00:02:02"
    shown = xdp.json("show", "route", "10.0.1.1")
    assert shown["verdict"] == "passed" and shown["reason"] == "local"
    assert "40.0.0.0/8" in xdp.json("show", "route", "40.0.0.0/8")
    assert "p1" in xdp.cli("show", "route", "40.1.2.3")


def test_show_route_of_addresses_that_no_route_is_asked_for(target):
    router, xdp = target
    router.ip("route", "add", "default", "via", "10.0.1.2")
    router.ip("-6", "route", "add", "default", "via", "2001:db8:1::2")
    xdp.wait_offloaded("0.0.0.0/0")
    xdp.wait_offloaded("::/0")
    for address, reason in {
        "224.0.0.5": "not-unicast",
        "255.255.255.255": "not-unicast",
        "127.0.0.9": "martian",
        "ff02::5": "not-unicast",
        "fe80::5": "local",
        "::1": "martian",
    }.items():
        shown = xdp.json("show", "route", address)
        assert (shown["verdict"], shown["reason"]) == ("passed", reason), address


def test_show_route_names_the_way_of_a_flow(target, ports):
    """The member that `show route` names is the one that the packet takes."""
    router, xdp = target
    taps = ports(router)
    taps.settle()
    for sport in range(1000, 1032):
        words = f"40.1.2.3 from 10.0.0.2 17 {sport} 2000".split()
        said = xdp.json("show", "route", *words)["nexthop"]["interface"]
        datagram = wire.udp("10.0.0.2", "40.1.2.3", sport, 2000)
        taps[0].send(wire.frame(wire.ipv4("10.0.0.2", "40.1.2.3", datagram)))
        got = taps.settle(quiet=0.03)
        # ARP requests for the neighbor that is not there come in between
        ways = [f"p{i}" for i, frames in enumerate(got) if any(datagram in f for f in frames)]
        assert ways == [said]


def test_where_no_interface_is_eligible(target):
    """Routes are as good as ever, and nothing is forwarded in XDP: every answer says so."""
    router, xdp = target
    assert "is forwarded in XDP\n" in xdp.cli("show", "route", "40.1.2.3")
    router.run("sysctl", "-qw", "net.ipv4.ip_forward=0")
    router.run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=0")

    def closed():
        return not any(i["ipv4"]["eligible"] for i in xdp.json("show", "interface").values())

    lab_module.wait_until("no interface is eligible", closed)
    why = "p0, p1, p2: forwarding-off"
    said = xdp.cli("show", "route", "40.1.2.3")
    assert f"would be forwarded in XDP, but is left to Linux on {why}" in said
    assert f"no interface is eligible: {why}" in xdp.cli("show", "route")
    assert "forwards nothing: no interface is eligible" in xdp.cli("show", "summary")
    done = xdp.cli("doctor", check=False)
    assert done.returncode == 1 and "no interface is eligible" in done.stdout


def test_show_route_is_in_order(target):
    _, xdp = target
    lines = xdp.cli("show", "route").splitlines()
    wanted = ["10.0.1.0/24", "40.0.0.0/8", "42.0.0.0/8", "2001:db8:4000::/48"]
    places = [next(i for i, line in enumerate(lines) if f" {w} " in line) for w in wanted]
    assert places == sorted(places), lines


def test_show_route_of_a_prefix_that_is_not_there(target):
    _, xdp = target
    assert xdp.cli("show", "route", "99.0.0.0/8") == "% Network not in table\n"
    assert xdp.json("show", "route", "99.0.0.0/8") == {}


def test_clear_counters(target, ports):
    router, xdp = target
    taps = ports(router)
    taps[0].send(wire.frame(wire.ipv4("10.0.0.2", "40.1.2.3", wire.udp("10.0.0.2", "40.1.2.3"))))
    lab_module.wait_until("counted", lambda: xdp.forwarded() == 1)
    xdp.cli("clear", "counters")
    assert xdp.forwarded() == 0


def test_doctor(target):
    _, xdp = target
    done = xdp.cli("doctor", check=False)
    assert done.returncode in (0, 1) and done.stdout.strip(), done
    done = xdp.cli("doctor", "json", check=False)
    assert json.loads(done.stdout)


def hidden_bpffs(router, xdp, *words):
    """As under `ip netns exec`: with a /sys of its own."""
    script = 'mount -t sysfs sysfs /sys && mount -t bpf bpf /sys/fs/bpf && exec "$@"'
    argv = [xdp_module.CLI, "-N", xdp.pathspace, *words]
    return router.run("unshare", "-m", "sh", "-c", script, "sh", *argv, check=False)


def test_detach_where_the_pins_are_not_seen(target):
    router, xdp = target
    xdp.kill()
    done = hidden_bpffs(router, xdp, "detach")
    assert done.returncode == 1 and "nsenter --net=" in done.stderr, done
    assert "Nothing was attached" not in done.stdout
    argv = [xdp_module.CLI, "-N", xdp.pathspace, "detach"]
    done = router.run("setpriv", "--reuid=65534", "--clear-groups", *argv, check=False)
    assert done.returncode == 1 and done.stderr.strip(), done
    assert "prog/xdp" in router.ip("-d", "link", "show", "p0")
    assert "p0: detached" in xdp.cli("detach")
    assert not (xdp_module.RUN / xdp.pathspace).exists()
    assert xdp.cli("detach") == "Nothing was attached\n"


def test_detach_beside_another_instance(target):
    router, xdp = target
    done = router.run(xdp_module.CLI, "-N", "nobody", "detach", check=False)
    assert done.returncode == 0, done
    assert f"p0 is held by another instance: fpm-xdp -N {xdp.pathspace}" in done.stderr
    assert "prog/xdp" in router.ip("-d", "link", "show", "p0")


def test_doctor_where_the_pins_are_not_seen(target):
    router, xdp = target
    said = hidden_bpffs(router, xdp, "doctor").stdout
    assert "p0: has a program of fpm-xdp whose pins are not in" in said
    assert "detach" not in said


def test_doctor_from_another_network_namespace(target):
    _, xdp = target
    argv = [xdp_module.CLI, "-N", xdp.pathspace, "doctor"]
    done = lab_module.run(*argv, check=False)
    pid = xdp.process.pid
    assert done.returncode == 1
    assert f"nsenter -t {pid} -n frr-xdp -N {xdp.pathspace} doctor" in done.stdout


def test_doctor_on_queueing(target):
    router, xdp = target
    router.run(
        "tc",
        "qdisc",
        "add",
        "dev",
        "p1",
        "root",
        "tbf",
        *"rate 1mbit burst 9k".split(),
        "latency",
        "50ms",
    )
    lab_module.wait_until("seen", lambda: not xdp.json("show", "interface")["p1"]["xdpTransmit"])
    said = xdp.cli("doctor", check=False).stdout
    assert "p1: has a queueing discipline that XDP would pass by" in said
    assert "-> tc qdisc show dev p1" in said


def test_doctor_on_an_interface_that_was_renamed(lab, daemon, tmp_path):
    router = lab.bench("r", 2)
    path = tmp_path / "frr-xdp.conf"
    path.write_text("interface p0\n xdp forwarding\ninterface p1\n xdp forwarding\n")
    xdp = daemon(router, "-f", path)
    assert "there is no such interface" not in xdp.cli("doctor", check=False).stdout
    router.ip("link", "set", "p1", "down")
    router.ip("link", "set", "p1", "name", "renamed")
    said = xdp.cli("doctor", check=False).stdout
    assert f"p1: {path} names it, and there is no such interface" in said


def test_doctor_without_a_daemon(lab):
    router = lab.bench("r", 1)
    done = router.run(xdp_module.CLI, "-N", "nobody", "doctor", check=False)
    assert done.returncode == 1
    assert "FAIL  not running" in done.stdout and "-> fpm-xdp -d -N nobody" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        "show",
        "show nonsense",
        "nonsense",
        "--nonsense",
        "show route 300.0.0.1",
        "show route 1.2.3.4/8",
    ],
)
def test_what_the_command_line_refuses(target, words):
    _, xdp = target
    done = xdp.cli(*words.split(), check=False)
    assert done.returncode == 2 and done.stderr.strip(), done


def test_no_daemon(lab):
    router = lab.bench("r", 1)
    done = router.run(xdp_module.CLI, "-N", "nobody", "show", "summary", check=False)
    assert done.returncode == 1 and done.stderr.strip()


@pytest.mark.parametrize(
    "options",
    [
        "--nonsense",
        "-i",
        "-i doesnotexist0",
        "--fpm nowhere",
        "--fpm 127.0.0.1:99999",
        "--max-prefixes many",
        "-N ../up",
        "-f /does/not/exist",
    ],
)
def test_what_the_daemon_refuses(lab, options):
    """A message, exit 2, nothing changed."""
    router = lab.bench("r", 1)
    words = options.split()
    if "-N" not in words:
        words += ["-N", "refused"]
    done = router.run(xdp_module.DAEMON, *words, check=False, timeout=10)
    assert done.returncode == 2 and done.stderr.strip(), done
    assert not (xdp_module.PINS / "refused").exists()
    assert "prog/xdp" not in router.ip("-d", "link", "show", "p0")


@pytest.mark.parametrize(
    "text, line",
    [
        ("fpm listen 127.0.0.1\nnonsense\n", 2),
        ("interface p0\n xdp nonsense\n", 2),
        ("!\n\nlimit prefixes 0\n", 3),
        ("fpm listen 1.2.3\n", 1),
        ("!\ninterface doesnotexist0\n xdp forwarding\n", 3),
    ],
)
def test_a_configuration_line_that_is_wrong(lab, tmp_path, text, line):
    router = lab.bench("r", 1)
    path = tmp_path / "frr-xdp.conf"
    path.write_text(text)
    done = router.run(xdp_module.DAEMON, "-N", "refused", "-f", path, check=False, timeout=10)
    assert done.returncode == 2, done
    assert f"{path}:{line}" in done.stderr or f"line {line}" in done.stderr, done.stderr
    assert not (xdp_module.PINS / "refused").exists()
    assert "prog/xdp" not in router.ip("-d", "link", "show", "p0")


def test_configuration_file(lab, daemon, tmp_path):
    router = lab.bench("r", 2)
    path = tmp_path / "frr-xdp.conf"
    path.write_text(
        "! a comment\nfpm listen 127.0.0.1 port 2699\ninterface p0\n xdp forwarding\n"
        "interface p1\n no xdp forwarding\n"
    )
    xdp = daemon(router, "-f", path)
    assert "2699" in xdp.json("show", "summary")["fpm"]["listen"]
    assert ":2699" in router.run("ss", "-ltn")
    shown = xdp.json("show", "interface")
    assert shown["p0"]["attached"] and not shown["p1"]["attached"]


@pytest.mark.parametrize("program", [xdp_module.DAEMON, xdp_module.CLI])
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version(program, option):
    said = lab_module.run(program, option)
    assert "fpm-xdp" in said or "frr-xdp" in said


def test_options_override_the_file(lab, daemon, tmp_path):
    """-i alone says which interfaces: what the file says of others is not used."""
    router = lab.bench("r", 2)
    path = tmp_path / "frr-xdp.conf"
    path.write_text("interface p1\n xdp forwarding\n!\nlimit prefixes 77\n")
    xdp = daemon(router, "-f", path, "-i", "p0")
    interfaces = xdp.json("show", "interface")
    assert interfaces["p0"]["attached"] and not interfaces["p1"]["wanted"]
    assert xdp.json("show", "summary")["routes"]["limit"] == 77


def test_bpffs_of_its_own(lab, daemon):
    """As `ip netns exec` makes one: told, since pins go with it. And who cannot listen says where."""
    router = lab.bench("r", 1)
    daemon(router, "-i", "p0")
    start = f"mount -t sysfs none /sys && exec {xdp_module.DAEMON} -N refused -i p0"
    done = router.run("unshare", "-m", "sh", "-c", start, check=False, timeout=10)
    assert done.returncode == 1, done
    assert "bpffs is mounted for this mount namespace alone" in done.stderr
    assert "address=127.0.0.1 port=2620" in done.stderr and "ss -ltnp" in done.stderr


def test_interface_of_another_instance(lab, daemon, tmp_path):
    router = lab.bench("r", 1)
    first = daemon(router, "-i", "p0")
    log = tmp_path / "second.log"
    with open(log, "wb") as out:
        argv = [xdp_module.DAEMON, "-N", "second", "-i", "p0", "--fpm", ":2621"]
        second = router.popen(*argv, stdout=out, stderr=out)
    try:
        advice = f"`frr-xdp -N {first.pathspace} detach` ends that"
        lab_module.wait_until("told whose it is", lambda: advice in log.read_text())
    finally:
        router.run(xdp_module.CLI, "-N", "second", "detach", check=False)
        lab_module.end_process(second)
    assert first.json("show", "interface")["p0"]["attached"]
