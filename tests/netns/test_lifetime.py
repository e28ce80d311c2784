# SPDX-License-Identifier: GPL-2.0-or-later
"""Daemons come and go; packets go on."""
import os
import signal

import pytest

import lab as lab_module
import wire
import xdp as xdp_module
from test_ecmp import passed_some
from test_routes import start, wait_connected


def test_kill_and_restart_lose_nothing(lab, daemon, frr_at, ports, version):
    """kill -9 of fpm-xdp under traffic: forwarding goes on in XDP; the next one takes over."""
    router = lab.bench("r", 4)
    xdp = daemon(router)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure(
        "ip route 40.0.0.0/8 10.0.1.2\nip route 40.0.0.0/8 10.0.2.2\nip route 44.0.0.0/8 10.0.3.2\n"
    )
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.1.2", "10.0.2.2"])
    xdp.wait_offloaded("44.0.0.0/8")
    lab_module.wait_until("from FPM", lambda: xdp.route("40.0.0.0/8")["source"] == "fpm")
    taps = ports(router)
    before = xdp.forwarded()
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1", flows=128) as stream:
        passed_some(stream)
        for _ in range(2):
            xdp.kill()
            passed_some(stream, 500)
            xdp.start()
            passed_some(stream, 500)
        wait_connected(xdp)
        xdp.wait_offloaded("40.0.0.0/8", ["10.0.1.2", "10.0.2.2"])
        passed_some(stream, 500)
    stream.assert_whole()
    assert all(
        len(ports) == 1 for ports in stream.port_of_flow().values()
    ), "a flow changed its way"
    in_xdp = xdp.forwarded() - before
    assert in_xdp == stream.sent, f"{stream.sent - in_xdp} of {stream.sent} went through Linux"
    xdp.assert_consistent(timeout=20)


def test_changes_while_it_was_dead_are_seen(lab, daemon, ports):
    router = lab.bench("r", 3)
    router.batch(f"route add 40.{n}.0.0/16 via 10.0.1.2" for n in range(4))
    xdp = daemon(router)
    xdp.wait_offloaded("40.3.0.0/16")
    xdp.kill()
    router.batch(
        [
            "route del 40.0.0.0/16",
            "route replace 40.1.0.0/16 via 10.0.2.2",
            "route replace blackhole 40.2.0.0/16",
            "route add 40.9.0.0/16 via 10.0.2.2",
        ]
    )
    xdp.start()
    xdp.wait_offloaded("40.1.0.0/16", ["10.0.2.2"])
    xdp.wait_offloaded("40.9.0.0/16", ["10.0.2.2"])
    lab_module.wait_until("40.0/16 gone", lambda: xdp.route("40.0.0.0/16") is None)
    taps = ports(router)
    taps.settle()
    sent = {}
    for n in (0, 1, 2, 3, 9):
        dst = f"40.{n}.0.1"
        sent[n] = wire.frame(wire.ipv4("10.0.0.2", dst, wire.udp("10.0.0.2", dst, payload=b"tag")))
        taps[0].send(sent[n])
    got = [[f for f in frames if f[23] == 17] for frames in taps.settle()]
    assert got[1] == [wire.forwarded(sent[3], 1)]
    assert sorted(got[2]) == sorted(wire.forwarded(sent[n], 2) for n in (1, 9))
    xdp.assert_consistent(timeout=20)


def test_clean_stop_goes_on_forwarding(lab, daemon, ports):
    router = lab.bench("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    before = xdp.forwarded()
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
        xdp.stop()
        passed_some(stream)
        xdp.start()
        passed_some(stream)
    stream.assert_whole()
    assert xdp.forwarded() - before == stream.sent, xdp.counters()


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_zebra_restart_loses_nothing(lab, daemon, frr_at, ports, version, how, tmp_path):
    """zebra -r leaves its routes in the kernel, -K does not sweep them before the daemons are back."""
    router = lab.bench("r", 3)
    xdp = daemon(router)
    options = ("-r", "-K", "60")
    frr = start(frr_at, router, version, "groups", "staticd", more=options)
    wait_connected(xdp)
    config = "fpm address 127.0.0.1\nip route 40.0.0.0/8 10.0.1.2\nip route 40.0.0.0/8 10.0.2.2\n"
    frr.configure(config)
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.1.2", "10.0.2.2"])
    lab_module.wait_until("from FPM", lambda: xdp.route("40.0.0.0/8")["source"] == "fpm")
    connections = xdp.json("show", "summary")["fpm"]["connections"]
    notices = tmp_path / "notices"
    with open(notices, "wb") as out:
        monitor = router.popen("ip", "monitor", "route", "nexthop", stdout=out)
    lab.defer(lab_module.end_process, monitor)
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1", flows=128) as stream:
        passed_some(stream)
        # zebra first: it would take out the routes of a staticd that is gone.
        for name in ("zebra", "staticd", "mgmtd"):
            if name in frr.processes:
                frr.kill(name) if how == "kill" else frr.stop_daemon(name)
        passed_some(stream)
        frr.start("staticd", zebra=("-M", "dplane_fpm_nl", *options))
        frr.configure(config)

        def connected_again():
            return xdp.json("show", "summary")["fpm"]["connections"] > connections

        lab_module.wait_until("zebra connects again", connected_again)
        xdp.wait_offloaded("40.0.0.0/8", ["10.0.1.2", "10.0.2.2"])
        passed_some(stream, 1000)
    try:
        stream.assert_whole()
    except AssertionError:
        if "Deleted " in notices.read_text():  # the route, or a nexthop and its routes silently
            pytest.skip("zebra took its route out of the kernel for a moment: Linux lost packets")
        raise


def test_paused_reader(lab, daemon, frr_at, ports, version):
    """SIGSTOP: forwarding goes on, zebra is not harmed; SIGCONT: all that was said is taken in."""
    router = lab.bench("r", 3)
    xdp = daemon(router)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure("ip route 40.0.0.0/8 10.0.1.2\n")
    xdp.wait_offloaded("40.0.0.0/8")
    many = [f"ip route 41.{n >> 8}.{n & 255}.0/24 10.0.2.2" for n in range(4000)]
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
        xdp.process.send_signal(signal.SIGSTOP)
        try:
            frr.configure("\n".join(many) + "\n")
            passed_some(stream)
            lab_module.wait_until(
                "the kernel has the routes",
                lambda: router.ip("route", "show", "root", "41.0.0.0/8").count("\n") >= len(many),
                timeout=60,
            )
        finally:
            xdp.process.send_signal(signal.SIGCONT)
        xdp.wait_offloaded("41.15.159.0/24", timeout=30)
        passed_some(stream)
    stream.assert_whole()
    xdp.assert_consistent(timeout=30)
    lab_module.wait_until(
        "all from FPM",
        lambda: xdp.route("41.0.0.0/24")["source"]
        == "fpm"
        == xdp.route("41.15.159.0/24")["source"],
        timeout=30,
    )


def program_of(router, interface):
    text = router.ip("-d", "link", "show", interface)
    return text.split("prog/xdp id ")[1].split()[0] if "prog/xdp" in text else None


def test_detach_removes_everything(lab, daemon, ports):
    router = lab.bench("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    assert program_of(router, "p0") and (xdp_module.PINS / xdp.pathspace).exists()
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
        xdp.cli("detach")
        lab_module.wait_until("fpm-xdp ends", lambda: not xdp.running())
        passed_some(stream)
    stream.assert_whole()
    assert program_of(router, "p0") is None and program_of(router, "p1") is None
    assert not (xdp_module.PINS / xdp.pathspace).exists()


def test_detach_without_the_daemon(lab, daemon):
    router = lab.bench("r", 2)
    xdp = daemon(router)
    xdp.kill()
    assert program_of(router, "p0")
    xdp.cli("detach")
    assert program_of(router, "p0") is None and program_of(router, "p1") is None
    assert not (xdp_module.PINS / xdp.pathspace).exists()


def test_foreign_program_is_left_alone(lab, logs, ports):
    router = lab.bench("r", 3)
    lab.far_end_xdp(router, "p1")
    foreign = program_of(router, "p1")
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.2.2")
    xdp = lab.owns(xdp_module.FpmXdp(router, f"foreign{os.getpid()}", logs))
    xdp.spawn("-i", "p0", "-i", "p1", "-i", "p2")

    def told():
        return xdp.log.exists() and "p1" in xdp.log.read_text() and foreign in xdp.log.read_text()

    lab_module.wait_until(f"the log names p1 and program {foreign}", told)
    assert program_of(router, "p1") == foreign
    if xdp.running():
        xdp.wait_offloaded("40.0.0.0/8")
        shown = xdp.json("show", "interface")["p1"]
        assert not shown["attached"] and shown["error"], shown
        with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
            passed_some(stream)
        stream.assert_whole()
        xdp.assert_consistent()
        xdp.stop()
    xdp.cli("detach")
    assert program_of(router, "p1") == foreign


def test_far_end_that_takes_no_redirect(lab, daemon, ports):
    """A veth whose peer has neither XDP nor GRO loses redirected frames: not used, Linux sends."""
    router = lab.bench("r", 3)
    router.far[1].ip("link", "set", "h1", "xdp", "off")
    router.far[1].run("ethtool", "-K", "h1", "gro", "off")
    router.batch(["route add 40.0.0.0/8 via 10.0.1.2", "route add 41.0.0.0/8 via 10.0.2.2"])
    xdp = daemon(router)
    lab_module.wait_until("41/8", lambda: xdp.offloaded("41.0.0.0/8"))
    shown = xdp.json("show", "interface")
    assert shown["p1"]["xdpTransmit"] is False and shown["p2"]["xdpTransmit"] is True
    taps = ports(router)
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
    stream.assert_whole()
    assert xdp.passed("no-xdp-transmit") == stream.sent
    lab.far_end_xdp(router.far[1], "h1")

    def transmits():
        return xdp.json("show", "interface")["p1"]["xdpTransmit"]

    lab_module.wait_until("the far end has XDP again and is used", transmits, timeout=30)
    before = xdp.forwarded()
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
    stream.assert_whole()
    lab_module.wait_until("forwarded in XDP", lambda: xdp.forwarded() > before)


def test_far_end_that_loses_its_xdp_under_traffic(lab, daemon, ports):
    router = lab.bench("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        passed_some(stream)
        router.far[1].ip("link", "set", "h1", "xdp", "off")

        def given_up():
            return xdp.json("show", "interface")["p1"]["xdpTransmit"] is False

        lab_module.wait_until("p1 is given up", given_up, timeout=30)
        passed_some(stream, 100)
        settled = stream.sent
        passed_some(stream)
    assert not [n for n in stream.lost() if n >= settled]
