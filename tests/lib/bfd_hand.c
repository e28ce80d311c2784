// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BFD's kernel half with a session filled in by hand: loads the root and xdp_bfd onto an interface
 * and stands in for the daemon as far as one session with one peer needs it, without a socket. All
 * control packets that go out are the peer's turned round. On SIGTERM it prints the session's
 * counters as JSON; nothing of it is left then.
 *
 *	bfd_hand INTERFACE LOCAL PEER INTERVAL-MS [echo]
 *
 * echo: the peer's echo packets are turned round, and over IPv6 it gets some of ours.
 */
#include "config.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bpf/bfd_wire.h"
#include "bpf/xdp_bfd.skel.h"
#include "bpf/xdp_root.skel.h"

enum { SLOT = 1, MULT = 10, POLL_MS = 20 };

#define DISC	  0x12345678u
#define DEAD_MAN  2000000000ull
#define SLOW_US	  1000000u
#define ECHO_US	  50000u
#define NS_PER_US 1000ull

struct hand {
	struct xdp_root *root;
	struct xdp_bfd *bfd;
	struct fx_bfd_sess *sess;
	struct fx_bfd_meta *meta;
	uint32_t ifindex, interval_us;
	uint32_t state, ups, downs;
	bool echo;
	int echo_fd; /* -1: none */
	struct sockaddr_in6 echo_to;
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void put(const struct bpf_map *map, const void *key, const void *value)
{
	if (bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY))
		err(1, "%s", bpf_map__name(map));
}

static void *map_memory(const struct bpf_map *map, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem == MAP_FAILED)
		err(1, "%s", bpf_map__name(map));
	return mem;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void order_timer(struct hand *h, uint32_t op)
{
	struct fx_bfd_timer_cmd cmd = { .slot = SLOT, .op = op };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &cmd, .ctx_size_in = sizeof(cmd));

	if (bpf_prog_test_run_opts(bpf_program__fd(h->bfd->progs.fx_bfd_timer), &opts) ||
	    opts.retval)
		errx(1, "timer: %d", (int)opts.retval);
}

/* RFC 5880 6.8.6, the state machine. */
static uint32_t next_state(uint32_t mine, uint32_t theirs)
{
	if (mine == BFD_STATE_DOWN)
		return theirs == BFD_STATE_DOWN	  ? BFD_STATE_INIT
		       : theirs == BFD_STATE_INIT ? BFD_STATE_UP
						  : mine;
	if (theirs <= BFD_STATE_DOWN && (mine == BFD_STATE_UP || theirs == BFD_STATE_ADMIN_DOWN))
		return BFD_STATE_DOWN;
	return theirs >= BFD_STATE_INIT ? BFD_STATE_UP : mine;
}

static void enter(struct hand *h, uint32_t state)
{
	h->ups += state == BFD_STATE_UP && h->state != BFD_STATE_UP;
	h->downs += state == BFD_STATE_DOWN && h->state == BFD_STATE_UP;
	h->state = state;
}

/* What the peer sends from now on, and what it gets: a packet with P is answered by F. */
static void write_session(struct hand *h, const uint8_t *theirs)
{
	struct bfd_packet in, out = {
		.state = (uint8_t)h->state,
		.mult = MULT,
		.my_disc = DISC,
		.min_rx_us = h->interval_us,
		.min_echo_rx_us = h->echo ? ECHO_US : 0,
	};
	struct fx_bfd_sess *s = h->sess;
	uint64_t now = now_ns();
	uint32_t pace;

	bfd_wire_get(theirs, &in);
	out.your_disc = in.my_disc;
	/* it goes on at a second until it has our F, and we cannot promise more than it lets us
	 * keep */
	pace = larger(h->interval_us, in.bits & BFD_BIT_POLL ? SLOW_US : in.min_tx_us);
	out.min_tx_us = pace;
	out.bits = in.bits & BFD_BIT_POLL ? BFD_BIT_FINAL : 0;
	__atomic_add_fetch(&s->seq, 1, __ATOMIC_SEQ_CST);
	memcpy(s->expect, theirs, FX_BFD_CONTROL_LEN);
	bfd_wire_put((uint8_t *)s->send, &out);
	s->tx_interval_ns = larger(out.min_tx_us, in.min_rx_us) * NS_PER_US;
	s->detect_ns = in.mult * (uint64_t)pace * NS_PER_US;
	s->flags |= FX_BFD_F_REFLECT | (h->state >= BFD_STATE_INIT ? FX_BFD_F_DETECT : 0);
	__atomic_add_fetch(&s->seq, 1, __ATOMIC_SEQ_CST);
	s->last_rx = now;
	if (in.bits & BFD_BIT_POLL || !s->next_due)
		s->next_due = now;
	order_timer(h, FX_BFD_TIMER_ARM);
}

static int on_event(void *arg, void *data, size_t size)
{
	const struct fx_bfd_event *ev = data;
	struct hand *h = arg;

	(void)size;
	if (ev->type == FX_BFD_EV_EXPIRED) {
		enter(h, BFD_STATE_DOWN);
		h->sess->flags &= ~(FX_BFD_F_REFLECT | FX_BFD_F_DETECT);
		h->sess->expired = 0;
		return 0;
	}
	enter(h, next_state(h->state, bfd_wire_state(ev->packet)));
	write_session(h, ev->packet);
	return 0;
}

static bool to_addr(const char *text, uint8_t *ret)
{
	bool six = strchr(text, ':') != NULL;

	if (inet_pton(six ? AF_INET6 : AF_INET, text, ret) != 1)
		errx(2, "no address: %s", text);
	return six;
}

static void add_session(struct hand *h, const char *local, const char *peer)
{
	struct fx_bfd_addr_key key = { .ifindex = h->ifindex, .kind = FX_BFD_SINGLE_HOP };
	struct fx_bfd_sess *s = h->sess;
	uint32_t slot = SLOT, disc = DISC;
	bool six = to_addr(peer, s->peer);

	to_addr(local, s->local);
	s->my_disc = DISC;
	s->ifindex = h->ifindex;
	s->jitter_min = 768;
	s->jitter_span = 256;
	s->sport = 49999;
	s->flags = FX_BFD_F_ACTIVE | (six ? FX_BFD_F_IPV6 : 0) | (h->echo ? FX_BFD_F_ECHO_RX : 0);
	key.family = six ? FX_BFD_INET6 : FX_BFD_INET;
	memcpy(key.peer, s->peer, 16);
	memcpy(key.local, s->local, 16);
	put(h->bfd->maps.fx_bfd_by_disc, &disc, &slot);
	put(h->bfd->maps.fx_bfd_by_addr, &key, &slot);
	key.kind = FX_BFD_ECHO;
	memset(key.local, 0, 16);
	put(h->bfd->maps.fx_bfd_by_addr, &key, &slot);
}

static void load(struct hand *h, const char *interface)
{
	struct fx_iface iface = { .word0 = fx_iface_word0(FX_IF_ATTACHED, 0, 0) };
	uint32_t slot = FX_SLOT_BFD;
	int fd;

	h->ifindex = if_nametoindex(interface);
	h->root = xdp_root__open_and_load();
	h->bfd = xdp_bfd__open();
	if (!h->ifindex || !h->root || !h->bfd)
		err(1, "cannot load for %s", interface);
	bpf_map__reuse_fd(h->bfd->maps.fx_slots, bpf_map__fd(h->root->maps.fx_slots));
	if (xdp_bfd__load(h->bfd))
		err(1, "cannot load xdp_bfd");
	h->sess = map_memory(h->bfd->maps.fx_bfd_sess, (SLOT + 1) * sizeof(*h->sess));
	h->sess += SLOT;
	h->meta = map_memory(h->bfd->maps.fx_bfd_meta, sizeof(*h->meta));
	h->meta->dead_man_ns = DEAD_MAN;
	fd = bpf_program__fd(h->bfd->progs.fx_bfd);
	put(h->root->maps.fx_slots, &slot, &fd);
	put(h->root->maps.fx_ifaces, &h->ifindex, &iface);
	h->root->links.fx_root = bpf_program__attach_xdp(h->root->progs.fx_root, (int)h->ifindex);
	if (!h->root->links.fx_root)
		err(1, "cannot attach to %s", interface);
}

/* From the echo port to the peer's: FRR's bfdd sends that back over IPv6. Over IPv4 it leaves echo
 * packets to routing, so there is nothing to send with a socket. */
static void open_echo(struct hand *h, const char *peer)
{
	struct sockaddr_in6 from = { .sin6_family = AF_INET6 };
	int hops = 255;

	from.sin6_port = htons(FX_BFD_PORT_ECHO);
	h->echo_to = from;
	h->echo_to.sin6_scope_id = h->ifindex;
	to_addr(peer, h->echo_to.sin6_addr.s6_addr);
	h->echo_fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (h->echo_fd < 0 || bind(h->echo_fd, (struct sockaddr *)&from, sizeof(from)) ||
	    setsockopt(h->echo_fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof(hops)))
		err(1, "echo socket");
}

static void send_echo(struct hand *h)
{
	uint8_t payload[FX_BFD_ECHO_LEN] = { 0 };

	bfd_wire_put_u32(payload + FX_BFD_ECHO_AT_MAGIC, FX_BFD_ECHO_MAGIC);
	bfd_wire_put_u32(payload + FX_BFD_ECHO_AT_DISC, DISC);
	if (sendto(h->echo_fd, payload, sizeof(payload), 0, (struct sockaddr *)&h->echo_to,
		   sizeof(h->echo_to)) > 0)
		__atomic_add_fetch(&h->sess->echo_tx, 1, __ATOMIC_SEQ_CST);
}

static void print(const struct hand *h)
{
	const struct fx_bfd_sess *s = h->sess;
	unsigned long long rejects = 0;
	uint32_t i;

	for (i = 0; i < FX_BFD_REJ_SLOTS; i++)
		rejects += s->rejects[i];
	printf("{\"state\":%u,\"ups\":%u,\"downs\":%u,\"rx\":%llu,\"tx\":%llu,\"rejects\":%llu,"
	       "\"echo_rx\":%llu,\"echo_tx\":%llu,\"echo_looped\":%llu,\"max_rx_gap_us\":%llu,"
	       "\"max_tx_gap_us\":%llu}\n",
	       h->state, h->ups, h->downs, s->rx_pkts, s->tx_pkts[FX_BFD_BY_REFLECTOR], rejects,
	       s->echo_rx, s->echo_tx, s->echo_looped, s->rx_gaps.max_ns / NS_PER_US,
	       s->tx_gaps.max_ns / NS_PER_US);
}

int main(int argc, char **argv)
{
	static struct hand h = { .state = BFD_STATE_DOWN, .echo_fd = -1 };
	struct ring_buffer *ring;

	if (argc != 5 && argc != 6)
		errx(2, "usage: bfd_hand INTERFACE LOCAL PEER INTERVAL-MS [echo]");
	signal(SIGTERM, on_signal);
	h.interval_us = (uint32_t)atoi(argv[4]) * 1000;
	load(&h, argv[1]);
	h.echo = argc == 6;
	if (h.echo && strchr(argv[3], ':'))
		open_echo(&h, argv[3]);
	h.meta->heartbeat_ns = now_ns();
	ring = ring_buffer__new(bpf_map__fd(h.bfd->maps.fx_bfd_events), on_event, &h, NULL);
	if (!ring)
		err(1, "ring buffer");
	add_session(&h, argv[2], argv[3]);
	while (!stopped) {
		ring_buffer__poll(ring, POLL_MS);
		h.meta->heartbeat_ns = now_ns();
		if (h.echo_fd >= 0 && h.state == BFD_STATE_UP)
			send_echo(&h);
	}
	print(&h);
	ring_buffer__free(ring);
	xdp_bfd__destroy(h.bfd);
	xdp_root__destroy(h.root);
	return 0;
}
