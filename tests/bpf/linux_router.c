// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "tests/bpf/linux_router.h"

#include <err.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct linux_router {
	int sockets[3]; /* of host0, host1, host2 */
};

const char *const linux_router_own4[] = {
	"10.255.0.1", "10.255.0.255", "10.255.1.1", "10.255.1.255",
	"10.255.2.1", "10.255.2.255", NULL,
};

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void run(const char *format, ...)
{
	char command[512];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		errx(1, "failed: %s", command);
}

static void add_link(const char *name, const uint8_t mac[6], unsigned int n, int hosts)
{
	run("ip link add %s type veth peer name host%u netns /proc/%d/fd/%d", name, n, getpid(),
	    hosts);
	run("ip link set %s mtu 9000 address %02x:%02x:%02x:%02x:%02x:%02x up", name, mac[0],
	    mac[1], mac[2], mac[3], mac[4], mac[5]);
	run("ip addr add 10.255.%u.1/24 broadcast + dev %s", n, name);
	run("ip addr add 2001:db8:ff%u::1/64 dev %s nodad", n, name);
}

static void add_way(unsigned int n, unsigned int mtu)
{
	uint8_t dst[6], src[6];
	char name[16], mac[32];

	bed_macs(n, dst, src);
	snprintf(name, sizeof(name), "out%u", n);
	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", dst[0], dst[1], dst[2], dst[3],
		 dst[4], dst[5]);
	run("ip link set %s mtu %u", name, mtu);
	run("ip neigh replace 10.255.%u.2 lladdr %s dev %s nud permanent", n, mac, name);
	run("ip neigh replace 2001:db8:ff%u::2 lladdr %s dev %s nud permanent", n, mac, name);
	run("ip route add 10.0.%u.0/24 via 10.255.%u.2", n, n);
	run("ip route add 2001:db8:%u::/48 via 2001:db8:ff%u::2", n, n);
}

static void build(int hosts)
{
	uint8_t dst[6], src[6];
	unsigned int n;

	run("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1"
	    " net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0");
	run("ip link set lo up");
	add_link("in0", frame_router_mac, 0, hosts);
	for (n = 1; n <= 2; n++) {
		bed_macs(n, dst, src);
		add_link(n == 1 ? "out1" : "out2", src, n, hosts);
		add_way(n, n == 1 ? 1500 : 9000);
	}
}

static int open_host(unsigned int n)
{
	struct sockaddr_ll where = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	char name[16];
	int fd;

	snprintf(name, sizeof(name), "host%u", n);
	run("ip link set %s mtu 9000 up", name);
	where.sll_ifindex = (int)if_nametoindex(name);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&where, sizeof(where)))
		err(1, "%s", name);
	return fd;
}

bool linux_router_pass(struct linux_router *router, const struct frame *in, unsigned int n,
		       struct frame *ret)
{
	struct pollfd pfd = { .fd = router->sockets[n], .events = POLLIN };
	uint8_t dst[6], src[6];
	ssize_t len;

	bed_macs(n, dst, src);
	while (recv(pfd.fd, ret->bytes, sizeof(ret->bytes), MSG_DONTWAIT) > 0)
		; /* what came unasked before: neighbour discovery and such */
	if (send(router->sockets[0], in->bytes, in->len, 0) != (ssize_t)in->len)
		err(1, "cannot send %zu bytes", in->len);
	while (poll(&pfd, 1, 1000) > 0) {
		len = recv(pfd.fd, ret->bytes, sizeof(ret->bytes), 0);
		if (len < 14 || memcmp(ret->bytes, dst, 6) != 0)
			continue;
		ret->len = (size_t)len;
		return true;
	}
	return false;
}

/* A veth that was set up takes no packet until the kernel's link watch has run. */
static void wait_for_links(struct linux_router *router)
{
	static struct frame probe, out;
	const char *dsts[] = { "10.0.1.1", "10.0.2.1" };
	unsigned int n, tries;

	for (n = 1; n <= 2; n++) {
		frame_build(&probe, &(struct frame_spec){ .dst = dsts[n - 1] });
		for (tries = 0; !linux_router_pass(router, &probe, n, &out); tries++)
			if (tries == 10)
				errx(1, "the Linux router does not forward");
	}
}

struct linux_router *linux_router_new(void)
{
	struct linux_router *router = calloc(1, sizeof(*router));
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), hosts;
	unsigned int n;

	if (!router || here < 0 || unshare(CLONE_NEWNET))
		err(1, "another network namespace");
	hosts = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	run("sysctl -qw net.ipv6.conf.default.disable_ipv6=1");
	if (hosts < 0 || setns(here, CLONE_NEWNET))
		err(1, "setns");
	build(hosts);
	if (setns(hosts, CLONE_NEWNET))
		err(1, "setns");
	for (n = 0; n < 3; n++)
		router->sockets[n] = open_host(n);
	if (setns(here, CLONE_NEWNET))
		err(1, "setns");
	wait_for_links(router);
	close(here);
	close(hosts);
	return router;
}

void linux_router_free(struct linux_router *router)
{
	unsigned int n;

	if (!router)
		return;
	for (n = 0; n < 3; n++)
		close(router->sockets[n]);
	free(router);
}
