/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Ethernet interfaces that are up: whether a program can be attached, whether XDP can send out
 * of them, and the offloads by which XDP sees other packets than Linux would.
 *
 * Drivers are asked by ioctl, not through /sys/class/net: under `nsenter --net` that shows the
 * interfaces of another namespace.
 */
#include "config.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/holder.h"
#include "cli/xdp_features.h"
#include "lib/xdp_attach.h"

#define AREA	       "interface"

/* A page less headroom (256) and struct skb_shared_info (320), less the Ethernet header: the
 * largest MTU of drivers that give a program one buffer only. */
#define ONE_BUFFER_MTU (4096 - 256 - 320 - 14)

struct iface {
	const char *name;
	unsigned int ifindex;
	int sock;
	char driver[32];
	uint64_t features; /* XDP_FEATURE_*, when asked */
	bool asked;
	bool ours; /* our program is attached */
	unsigned int mtu;
};

static bool iface_ioctl(const struct iface *iface, unsigned long request, struct ifreq *req)
{
	memset(req->ifr_name, 0, sizeof(req->ifr_name));
	strncpy(req->ifr_name, iface->name, sizeof(req->ifr_name) - 1);
	return ioctl(iface->sock, request, req) == 0;
}

static bool iface_is_ethernet(const struct iface *iface)
{
	struct ifreq req = { 0 };

	return iface_ioctl(iface, SIOCGIFHWADDR, &req) && req.ifr_hwaddr.sa_family == ARPHRD_ETHER;
}

static bool iface_is_up(const struct iface *iface)
{
	struct ifreq req = { 0 };

	return iface_ioctl(iface, SIOCGIFFLAGS, &req) && req.ifr_flags & IFF_UP;
}

static void iface_read(struct iface *iface)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq req = { 0 };

	req.ifr_data = (void *)&info;
	if (iface_ioctl(iface, SIOCETHTOOL, &req))
		snprintf(iface->driver, sizeof(iface->driver), "%s", info.driver);
	if (iface_ioctl(iface, SIOCGIFMTU, &req))
		iface->mtu = (unsigned int)req.ifr_mtu;
	iface->asked = xdp_features_get(iface->ifindex, &iface->features) == 0;
}

static uint32_t iface_flags(const struct iface *iface)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GFLAGS };
	struct ifreq req = { 0 };

	req.ifr_data = (void *)&value;
	return iface_ioctl(iface, SIOCETHTOOL, &req) ? value.data : 0;
}

/* The program is not one of this instance's, as far as pins tell. */
static void iface_holder(const struct iface *iface, const struct xdp_state *state,
			 struct report *report)
{
	char instance[HOLDER_NAME_SIZE], advice[96];

	switch (holder_find(iface->ifindex, instance)) {
	case HOLDER_INSTANCE:
		snprintf(advice, sizeof(advice), "frr-xdp%s%s detach, if that is not wanted",
			 *instance ? " -N " : "", instance);
		report_add(report, REPORT_WARN, AREA, iface->name, advice,
			   "another instance of fpm-xdp holds it");
		return;
	case HOLDER_ELSEWHERE:
		report_add(
			report, REPORT_WARN, AREA, iface->name,
			"nsenter --net=/run/netns/NAME frr-xdp doctor, instead of ip netns exec",
			"has a program of fpm-xdp whose pins are not in the bpf file system seen "
			"here");
		return;
	case HOLDER_NONE:
		break;
	}
	snprintf(advice, sizeof(advice), "ip link set dev %s xdp off", iface->name);
	report_add(report, REPORT_WARN, AREA, iface->name, advice,
		   "another XDP program is attached (id %u, name \"%s\"): fpm-xdp leaves it alone",
		   state->prog_id, state->prog_name);
}

static void iface_program(struct iface *iface, const char *bpf_dir, struct report *report)
{
	struct xdp_state state;

	if (xdp_state(bpf_dir, iface->ifindex, &state) < 0 || !state.prog_id)
		return;
	iface->ours = state.ours;
	if (!state.ours)
		iface_holder(iface, &state, report);
	else if (state.mode == XDP_MODE_GENERIC)
		report_add(report, REPORT_WARN, AREA, iface->name,
			   "take `xdp mode generic` out of frr-xdp.conf",
			   "attached in generic mode: slower than native, for tests");
}

static void iface_native(const struct iface *iface, struct report *report)
{
	bool native = iface->asked ? iface->features & XDP_FEATURE_BASIC
				   : advice_driver_has_xdp(iface->driver);
	const char *driver = *iface->driver ? iface->driver : "unknown";

	if (native)
		report_add(report, REPORT_OK, AREA, iface->name, NULL, "driver %s: native XDP%s",
			   driver, iface->ours ? ", attached" : "");
	else if (iface->asked && strcmp(driver, "bridge") == 0)
		report_add(report, REPORT_INFO, AREA, iface->name, NULL,
			   "a bridge: its packets stay with Linux");
	else if (iface->asked)
		report_add(report, REPORT_WARN, AREA, iface->name,
			   "for tests only: `xdp mode generic` in frr-xdp.conf",
			   "driver %s has no native XDP: its packets stay with Linux", driver);
	else
		report_add(report, REPORT_INFO, AREA, iface->name, NULL,
			   "driver %s: whether it has native XDP is not known (Linux before 6.3 "
			   "cannot be asked)",
			   driver);
}

/* said: what the daemon says of the interface; NULL: nothing. */
static void iface_transmit(const struct iface *iface, struct json_object *said,
			   struct report *report)
{
	bool veth = strcmp(iface->driver, "veth") == 0;
	char advice[64];

	if (!iface->asked || !(iface->features & XDP_FEATURE_BASIC))
		return;
	snprintf(advice, sizeof(advice), "tc qdisc show dev %s", iface->name);
	if (iface->features & XDP_FEATURE_XMIT && said && !field_bool(said, "xdpTransmit"))
		report_add(report, REPORT_WARN, AREA, iface->name, advice,
			   "has a queueing discipline that XDP would pass by: packets out of it "
			   "stay with Linux");
	else if (iface->features & XDP_FEATURE_XMIT)
		report_add(report, REPORT_OK, AREA, iface->name, NULL, "sends for XDP");
	else if (veth)
		report_add(report, REPORT_WARN, AREA, iface->name,
			   "where its peer is: ethtool -K PEER gro on",
			   "does not send for XDP (the peer has neither an XDP program nor GRO): "
			   "packets out of it stay with Linux");
	else if (iface->ours)
		report_add(report, REPORT_WARN, AREA, iface->name, NULL,
			   "does not send for XDP: packets out of it stay with Linux");
	else
		report_add(report, REPORT_INFO, AREA, iface->name, NULL,
			   "does not send for XDP yet: some drivers begin to when a program is "
			   "attached");
}

static void iface_offloads(const struct iface *iface, struct report *report)
{
	bool veth = strcmp(iface->driver, "veth") == 0;
	uint32_t flags = iface_flags(iface);
	char advice[64];

	if (flags & ETH_FLAG_LRO) {
		snprintf(advice, sizeof(advice), "ethtool -K %s lro off", iface->name);
		report_add(report, REPORT_WARN, AREA, iface->name, advice,
			   "LRO is on: merged packets are longer than the next link takes");
	}
	/* A veth's tag always travels beside the packet; ethtool's flag changes nothing there. */
	if (flags & ETH_FLAG_RXVLAN && !veth) {
		snprintf(advice, sizeof(advice), "ethtool -K %s rxvlan off", iface->name);
		report_add(report, REPORT_WARN, AREA, iface->name, advice,
			   "VLAN tags are stripped by the hardware: XDP takes tagged packets for "
			   "untagged ones");
	}
	if (veth)
		report_add(
			report, REPORT_INFO, AREA, iface->name,
			"where its peer is: ethtool -K PEER tx off txvlan off",
			"veth: what its peer sends carries unfinished checksums and no visible "
			"VLAN tags unless these offloads are off there; not to be seen from here");
}

static void iface_mtu(const struct iface *iface, struct report *report)
{
	char advice[64];

	if (!iface->asked || iface->features & XDP_FEATURE_RX_SG || iface->mtu <= ONE_BUFFER_MTU)
		return;
	snprintf(advice, sizeof(advice), "ip link set dev %s mtu %d", iface->name, ONE_BUFFER_MTU);
	report_add(report, REPORT_WARN, AREA, iface->name, advice,
		   "MTU %u: driver %s gives XDP one buffer only, attaching may be refused",
		   iface->mtu, iface->driver);
}

static void sysctl_check(const struct iface *iface, const char *family, const char *reason,
			 bool ipv6, bool bad, struct report *report)
{
	const char *words;
	char advice[ADVICE_TYPE_SIZE];

	if (!bad)
		return;
	advice_reason(reason, iface->name, ipv6, &words, advice, sizeof(advice));
	report_add(report, REPORT_WARN, AREA, iface->name, advice, "%s: %s", family, words);
}

static long iface_sysctl(const char *family, const char *ifname, const char *what)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/sys/net/%s/conf/%s/%s", family, ifname, what);
	return doctor_sysctl(path);
}

/* A running daemon says better why an interface is not eligible. */
static void iface_sysctls(const struct iface *iface, struct report *report)
{
	bool rp_filter = iface_sysctl("ipv4", "all", "rp_filter") > 0 ||
			 iface_sysctl("ipv4", iface->name, "rp_filter") > 0;

	sysctl_check(iface, "IPv4", "forwarding-off", false,
		     iface_sysctl("ipv4", iface->name, "forwarding") == 0, report);
	sysctl_check(iface, "IPv6", "forwarding-off", true,
		     iface_sysctl("ipv6", "all", "forwarding") == 0, report);
	sysctl_check(iface, "IPv4", "rp-filter", false, rp_filter, report);
}

static void doctor_one(struct doctor *doctor, const char *name, unsigned int ifindex, int sock)
{
	struct iface iface = { .name = name, .ifindex = ifindex, .sock = sock };

	if (!iface_is_ethernet(&iface) || !iface_is_up(&iface))
		return;
	iface_read(&iface);
	iface_program(&iface, doctor->cli->bpf_dir, doctor->report);
	iface_native(&iface, doctor->report);
	iface_transmit(&iface, field_get(doctor->interfaces, name), doctor->report);
	iface_offloads(&iface, doctor->report);
	iface_mtu(&iface, doctor->report);
	if (!doctor->interfaces)
		iface_sysctls(&iface, doctor->report);
}

void doctor_interface(struct doctor *doctor)
{
	struct if_nameindex *list = if_nameindex(), *one;
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (list && sock >= 0) {
		for (one = list; one->if_index; one++)
			doctor_one(doctor, one->if_name, one->if_index, sock);
	}
	if (list)
		if_freenameindex(list);
	if (sock >= 0)
		close(sock);
}
