/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/advice.h"

/* "@" in what is typed stands for the interface. */
static const struct {
	const char *reason, *words;
	const char *type4, *type6;
} advices[] = {
	{ "forwarding-off", "Linux does not forward what comes in here",
	  "sysctl -w net.ipv4.ip_forward=1", "sysctl -w net.ipv6.conf.all.forwarding=1" },
	{ "rp-filter", "source validation (rp_filter) is on, which only Linux does",
	  "sysctl -w net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.@.rp_filter=0", "" },
	{ "policy-rules", "there are policy rules beyond the default ones", "ip -4 rule",
	  "ip -6 rule" },
	{ "netfilter", "a firewall or NAT rule would see forwarded packets", "nft list ruleset",
	  "nft list ruleset" },
	{ "enslaved", "it is a port of a bridge or bond, or a member of a VRF",
	  "ip -d link show dev @", "ip -d link show dev @" },
	{ "device-above", "a VLAN, ipvlan or macvtap device above it takes what comes in here",
	  "ip -d link show", "ip -d link show" },
	{ "not-ethernet", "it is no Ethernet interface", "", "" },
	{ "ingress-qdisc", "tc filters may stand at its ingress (clsact or ingress qdisc)",
	  "tc qdisc show dev @", "tc qdisc show dev @" },
	{ "ipsec", "there are IPsec policies", "ip xfrm policy", "ip xfrm policy" },
	{ "ipv6-disabled", "IPv6 is switched off on it", "",
	  "sysctl -w net.ipv6.conf.@.disable_ipv6=0" },
	{ "proxy-ndp", "it answers neighbor solicitations for others (proxy_ndp)", "",
	  "sysctl -w net.ipv6.conf.all.proxy_ndp=0 net.ipv6.conf.@.proxy_ndp=0" },
	{ "local-network", "a whole network is local (ip route add local NETWORK)",
	  "ip route show table local type local", "" },
	{ "icmp-learned", "what ICMP says of a path would change it (path MTU, redirects)",
	  "sysctl -w net.ipv4.ip_forward_use_pmtu=0 net.ipv4.conf.all.accept_redirects=0", "" },
	{ "unknown", "its configuration could not be read", "journalctl -u fpm-xdp",
	  "journalctl -u fpm-xdp" },
};

void advice_reason(const char *reason, const char *ifname, bool ipv6, const char **ret_words,
		   char *buf, size_t size)
{
	const char *type, *at;
	size_t i;

	*ret_words = reason;
	buf[0] = '\0';
	for (i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		if (strcmp(advices[i].reason, reason) == 0)
			break;
	}
	if (i == sizeof(advices) / sizeof(advices[0]))
		return;
	*ret_words = advices[i].words;
	type = ipv6 ? advices[i].type6 : advices[i].type4;
	at = strchrnul(type, '@');
	snprintf(buf, size, "%.*s%s%s%s", (int)(at - type), type, *at ? ifname : "",
		 *at ? at + 1 : "",
		 strncmp(type, "sysctl", 6) ? ""
					    : "\nto keep it, the same in a file of "
					      "/etc/sysctl.d");
}

bool advice_driver_has_xdp(const char *driver)
{
	static const char *const drivers[] = {
		"veth",
		"virtio_net",
		"tun",
		"bonding",
		"i40e",
		"ice",
		"igb",
		"igc",
		"ixgbe",
		"ixgbevf",
		"mlx4_en",
		"mlx5_core",
		"bnxt_en",
		"qede",
		"nfp",
		"sfc",
		"ena",
		"hv_netvsc",
		"mana",
		"vif",
		"nicvf",
		"fsl_dpaa2_eth",
		"fsl_enetc",
		"fsl_enetc_vf",
		"mvneta",
		"mvpp2",
		"st_gmac",
		"stmmac",
		"tsnep",
		"cpsw",
		"lan966x-switch",
		"netdevsim",
	};
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strcmp(drivers[i], driver) == 0)
			return true;
	}
	return false;
}
