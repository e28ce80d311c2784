/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/bfd_sock.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <linux/udp.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bpf/fx_bfd.h"
#include "bpf/fx_csum.h"
#include "lib/loop.h"

#define SOCK_TOS       0xc0u /* CS6 */
#define SOCK_PRIORITY  7     /* TC_PRIO_CONTROL */
#define SOCK_BUDGET    64    /* datagrams per wake-up */
#define SOCK_DATA_MAX  64u   /* of what is sent */
#define SOCK_RCVBUF    (4 << 20)
#define SOCK_RECEIVERS 6

struct bfd_receiver {
	struct bfd_sock *owner;
	struct loop_source *source;
	uint8_t family;
	uint16_t port;
	int fd;
};

struct bfd_sock {
	void (*datagram)(void *arg, const struct bfd_datagram *datagram);
	void *arg;
	struct bfd_receiver receivers[SOCK_RECEIVERS];
	int raw4, raw6, link;
};

/* ---- receiving ---- */

union sock_control {
	char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static void sock_cmsg(const struct cmsghdr *cmsg, struct bfd_datagram *ret)
{
	const void *data = CMSG_DATA(cmsg);
	struct in_pktinfo info4;
	struct in6_pktinfo info6;
	int ttl;

	if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_PKTINFO) {
		memcpy(&info4, data, sizeof(info4));
		memcpy(ret->local.bytes, &info4.ipi_addr, 4);
		ret->ifindex = (uint32_t)info4.ipi_ifindex;
	} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_PKTINFO) {
		memcpy(&info6, data, sizeof(info6));
		memcpy(ret->local.bytes, &info6.ipi6_addr, 16);
		ret->ifindex = info6.ipi6_ifindex;
	} else if ((cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TTL) ||
		   (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_HOPLIMIT)) {
		memcpy(&ttl, data, sizeof(ttl));
		ret->ttl = (uint8_t)ttl;
	}
}

static void sock_source(const struct sockaddr_storage *from, struct bfd_datagram *ret)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (ret->peer.family == FX_AF_INET) {
		memcpy(&in, from, sizeof(in));
		memcpy(ret->peer.bytes, &in.sin_addr, 4);
		ret->sport = ntohs(in.sin_port);
	} else {
		memcpy(&in6, from, sizeof(in6));
		memcpy(ret->peer.bytes, &in6.sin6_addr, 16);
		ret->sport = ntohs(in6.sin6_port);
	}
}

/* 0, or negative errno: nothing there. */
static int sock_receive(struct bfd_receiver *receiver)
{
	struct bfd_datagram datagram = {
		.peer.family = receiver->family,
		.local.family = receiver->family,
		.port = receiver->port,
	};
	struct sockaddr_storage from;
	union sock_control control;
	uint8_t data[256];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t n = recvmsg(receiver->fd, &msg, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
		sock_cmsg(cmsg, &datagram);
	sock_source(&from, &datagram);
	datagram.data = data;
	datagram.len = (size_t)n;
	receiver->owner->datagram(receiver->owner->arg, &datagram);
	return 0;
}

static int sock_ready(void *arg, unsigned int what)
{
	int i;

	for (i = 0; i < SOCK_BUDGET; i++)
		if (sock_receive(arg) < 0)
			break;
	return 0;
}

/* The echo port is shared: with a session in echo mode bfdd 10.3 to 10.7 opens it for IPv6, data
 * plane or not, with SO_REUSEADDR, and ends when it cannot. */
static int sock_options(int fd, uint8_t family, uint16_t port)
{
	int one = 1, size = SOCK_RCVBUF, rc;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (port == FX_BFD_PORT_ECHO)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (family == FX_AF_INET) {
		rc = setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &one, sizeof(one));
		return rc ? rc : setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &one, sizeof(one));
	}
	rc = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (!rc)
		rc = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &one, sizeof(one));
	return rc ? rc : setsockopt(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, &one, sizeof(one));
}

static int sock_bind(int fd, uint8_t family, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	if (family == FX_AF_INET)
		return bind(fd, (struct sockaddr *)&in, sizeof(in));
	return bind(fd, (struct sockaddr *)&in6, sizeof(in6));
}

static int sock_open_receiver(struct loop *loop, struct bfd_receiver *receiver)
{
	receiver->fd = socket(receiver->family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* without IPv6 in the kernel there is none to receive */
	if (receiver->fd < 0)
		return receiver->family == FX_AF_INET6 && errno == EAFNOSUPPORT ? 0 : -errno;
	if (sock_options(receiver->fd, receiver->family, receiver->port) < 0 ||
	    sock_bind(receiver->fd, receiver->family, receiver->port) < 0)
		return -errno;
	receiver->source = loop_fd(loop, "bfd receive", LOOP_PRIO_SIGNAL, receiver->fd, LOOP_READ,
				   sock_ready, receiver);
	return receiver->source ? 0 : -errno;
}

static int sock_open_receivers(struct loop *loop, struct bfd_sock *sock, char *why)
{
	static const uint16_t ports[] = { FX_BFD_PORT, FX_BFD_PORT_MH, FX_BFD_PORT_ECHO };
	int i, rc;

	for (i = 0; i < SOCK_RECEIVERS; i++) {
		sock->receivers[i].owner = sock;
		sock->receivers[i].family = i & 1 ? FX_AF_INET6 : FX_AF_INET;
		sock->receivers[i].port = ports[i / 2];
		rc = sock_open_receiver(loop, &sock->receivers[i]);
		if (rc < 0) {
			snprintf(why, BFD_SOCK_WHY, "UDP port %u: %s%s", ports[i / 2],
				 strerror(-rc),
				 rc == -EADDRINUSE ? " (does a bfdd run here without --dplaneaddr?)"
						   : "");
			return rc;
		}
	}
	return 0;
}

/* ---- sending ---- */

/* IPPROTO_RAW: whole packets go out, nothing ever comes in. */
static int sock_open_raw(int family)
{
	int priority = SOCK_PRIORITY;
	int fd = socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority));
	return fd;
}

static uint64_t sock_sum(const void *data, size_t len)
{
	const uint8_t *at = data;
	uint64_t sum = 0;
	uint16_t word;
	size_t i;

	for (i = 0; i + 1 < len; i += 2) {
		memcpy(&word, at + i, sizeof(word));
		sum += word;
	}
	return sum;
}

/* udp: header and an even number of bytes behind it. */
static void sock_udp(struct udphdr *udp, const struct bfd_send *send)
{
	uint16_t len = (uint16_t)(sizeof(*udp) + send->len);
	uint64_t sum;
	uint16_t check;

	*udp = (struct udphdr){
		.source = htons(send->sport),
		.dest = htons(send->dport),
		.len = htons(len),
	};
	memcpy(udp + 1, send->data, send->len);
	sum = sock_sum(send->local->bytes, 16) + sock_sum(send->peer->bytes, 16) +
	      htons(IPPROTO_UDP) + htons(len) + sock_sum(udp, len);
	check = (uint16_t)~fx_csum_fold(sum);
	udp->check = check ? check : 0xffff;
}

struct sock_packet4 {
	struct iphdr ip;
	struct udphdr udp;
	uint8_t data[SOCK_DATA_MAX];
};

struct sock_packet6 {
	uint32_t word0;
	uint16_t payload_len;
	uint8_t nexthdr, hop_limit;
	uint8_t saddr[16], daddr[16];
	struct udphdr udp;
	uint8_t data[SOCK_DATA_MAX];
};

static size_t sock_make4(struct sock_packet4 *packet, const struct bfd_send *send)
{
	size_t len = sizeof(packet->ip) + sizeof(packet->udp) + send->len;

	packet->ip = (struct iphdr){
		.version = 4,
		.ihl = 5,
		.tos = SOCK_TOS,
		.tot_len = htons((uint16_t)len),
		.frag_off = htons(0x4000),
		.ttl = send->ttl,
		.protocol = IPPROTO_UDP,
	};
	memcpy(&packet->ip.saddr, send->local->bytes, 4);
	memcpy(&packet->ip.daddr, send->peer->bytes, 4);
	packet->ip.check = (uint16_t)~fx_csum_ipv4_sum(&packet->ip);
	sock_udp(&packet->udp, send);
	return len;
}

static int sock_result(ssize_t n)
{
	return n < 0 ? -errno : (int)n;
}

static int sock_send4(struct bfd_sock *sock, const struct bfd_send *send)
{
	struct sock_packet4 packet;
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct in_pktinfo info = { .ipi_ifindex = (int)send->ifindex };
	union sock_control control = { 0 };
	struct iovec iov = { &packet, sock_make4(&packet, send) };
	struct msghdr msg = {
		.msg_name = &to,
		.msg_namelen = sizeof(to),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(info)),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	memcpy(&to.sin_addr, send->peer->bytes, 4);
	memcpy(&info.ipi_spec_dst, send->local->bytes, 4);
	cmsg->cmsg_level = IPPROTO_IP;
	cmsg->cmsg_type = IP_PKTINFO;
	cmsg->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
	return sock_result(sendmsg(sock->raw4, &msg, MSG_DONTWAIT));
}

static int sock_send6(struct bfd_sock *sock, const struct bfd_send *send)
{
	struct sock_packet6 packet = {
		.word0 = htonl(6u << 28 | SOCK_TOS << 20),
		.payload_len = htons((uint16_t)(sizeof(struct udphdr) + send->len)),
		.nexthdr = IPPROTO_UDP,
		.hop_limit = send->ttl,
	};
	struct sockaddr_in6 to = { .sin6_family = AF_INET6 };
	struct in6_pktinfo info = { .ipi6_ifindex = send->ifindex };
	union sock_control control = { 0 };
	struct iovec iov = { &packet, offsetof(struct sock_packet6, data) + send->len };
	struct msghdr msg = {
		.msg_name = &to,
		.msg_namelen = sizeof(to),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(info)),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	memcpy(packet.saddr, send->local->bytes, 16);
	memcpy(packet.daddr, send->peer->bytes, 16);
	sock_udp(&packet.udp, send);
	memcpy(&to.sin6_addr, send->peer->bytes, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&to.sin6_addr))
		to.sin6_scope_id = send->ifindex;
	memcpy(&info.ipi6_addr, send->local->bytes, 16);
	cmsg->cmsg_level = IPPROTO_IPV6;
	cmsg->cmsg_type = IPV6_PKTINFO;
	cmsg->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
	return sock_result(sendmsg(sock->raw6, &msg, MSG_DONTWAIT));
}

int bfd_sock_send(struct bfd_sock *sock, const struct bfd_send *send)
{
	if (send->len > SOCK_DATA_MAX)
		return -EMSGSIZE;
	return send->peer->family == FX_AF_INET ? sock_send4(sock, send) : sock_send6(sock, send);
}

static int sock_peer_mac(struct bfd_sock *sock, const struct fx_addr *peer, const char *ifname,
			 uint8_t ret[6])
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct arpreq request = { 0 };

	memcpy(&in.sin_addr, peer->bytes, 4);
	memcpy(&request.arp_pa, &in, sizeof(in));
	snprintf(request.arp_dev, sizeof(request.arp_dev), "%s", ifname);
	if (ioctl(sock->raw4, SIOCGARP, &request) < 0)
		return errno == ENXIO ? -ENOENT : -errno;
	if (!(request.arp_flags & ATF_COM))
		return -ENOENT;
	memcpy(ret, request.arp_ha.sa_data, 6);
	return 0;
}

int bfd_sock_loop(struct bfd_sock *sock, const struct bfd_send *send, const char *ifname,
		  uint8_t mac[6])
{
	static const uint8_t none[6];
	struct bfd_send looped = *send;
	struct sock_packet4 packet;
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = (int)send->ifindex,
		.sll_halen = 6,
	};
	int rc;

	if (send->len > SOCK_DATA_MAX)
		return -EMSGSIZE;
	rc = sock_peer_mac(sock, send->peer, ifname, mac);
	if (rc < 0 && !memcmp(mac, none, sizeof(none)))
		return rc;
	memcpy(to.sll_addr, mac, 6);
	looped.peer = send->local;
	return sock_result(sendto(sock->link, &packet, sock_make4(&packet, &looped), MSG_DONTWAIT,
				  (struct sockaddr *)&to, sizeof(to)));
}

/* ---- lifetime ---- */

struct bfd_sock *bfd_sock_new(struct loop *loop,
			      void (*datagram)(void *arg, const struct bfd_datagram *datagram),
			      void *arg, char *why)
{
	struct bfd_sock *sock = calloc(1, sizeof(*sock));
	int i;

	if (!sock) {
		snprintf(why, BFD_SOCK_WHY, "out of memory");
		return NULL;
	}
	sock->datagram = datagram;
	sock->arg = arg;
	for (i = 0; i < SOCK_RECEIVERS; i++)
		sock->receivers[i].fd = -1;
	sock->raw4 = sock_open_raw(AF_INET);
	sock->raw6 = sock_open_raw(AF_INET6);
	/* protocol 0: it only sends */
	sock->link = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sock->raw4 < 0 || sock->link < 0)
		snprintf(why, BFD_SOCK_WHY, "raw sockets: %s", strerror(errno));
	else if (!sock_open_receivers(loop, sock, why))
		return sock;
	bfd_sock_free(sock);
	return NULL;
}

void bfd_sock_free(struct bfd_sock *sock)
{
	int i;

	if (!sock)
		return;
	for (i = 0; i < SOCK_RECEIVERS; i++) {
		loop_source_free(sock->receivers[i].source);
		if (sock->receivers[i].fd >= 0)
			close(sock->receivers[i].fd);
	}
	if (sock->raw4 >= 0)
		close(sock->raw4);
	if (sock->raw6 >= 0)
		close(sock->raw6);
	if (sock->link >= 0)
		close(sock->link);
	free(sock);
}
