/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to the kernel that are answered at once, apart from the view that is kept. */
#include "config.h"

#include "fpm-xdp/kernel_view.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "fpm-xdp/kv.h"
#include "fpm-xdp/rtnl_decode.h"

/* /proc/net/netlink: sk Eth Pid Groups ...; Eth is the protocol, Pid the port. */
bool kernel_view_is_local_port(uint32_t portid)
{
	FILE *file = fopen("/proc/self/net/netlink", "re");
	unsigned int protocol, port;
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %u %u", &protocol, &port) == 2 &&
			protocol == NETLINK_ROUTE && port == portid;
	fclose(file);
	return found;
}

struct ask {
	void (*route)(void *arg, const struct rt_op *op);
	void *arg;
	uint32_t seq;
	bool ended;
	int result;
	struct rt_op op;
};

static void ask_message(void *arg, struct nlmsghdr *hdr)
{
	struct ask *ask = arg;
	int end = nlsock_end(hdr, ask->seq);
	enum rtnl_reject why;

	if (hdr->nlmsg_seq != ask->seq || ask->ended)
		return;
	if ((hdr->nlmsg_flags & NLM_F_DUMP_INTR) && !ask->result)
		ask->result = -EAGAIN;
	if (end <= 0) {
		ask->ended = true;
		if (end && !nlsock_absent(end))
			ask->result = end;
	} else if (hdr->nlmsg_type >= NLMSG_MIN_TYPE &&
		   rtnl_decode((const uint8_t *)hdr, hdr->nlmsg_len, RTNL_KERNEL, &ask->op, &why) >
			   0) {
		ask->route(ask->arg, &ask->op);
	}
}

static int ask_step(struct ask *ask, struct nl_sock *sock, enum kv_step step, uint64_t deadline)
{
	int err = nlsock_post(sock, kv_dump_request(step), &ask->seq);

	ask->ended = false;
	while (!err && !ask->ended) {
		struct pollfd fd = { .fd = nl_socket_get_fd(sock), .events = POLLIN };
		uint64_t now = loop_now_ms();

		if (now >= deadline)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)(deadline - now)) < 0 && errno != EINTR)
			return -errno;
		err = nlsock_read(sock, KV_BUDGET, ask_message, ask);
	}
	return err ? err : ask->result;
}

int kernel_view_snapshot(int timeout_ms, void (*route)(void *arg, const struct rt_op *op),
			 void *arg)
{
	static const enum kv_step order[] = { KV_NEXTHOPS, KV_ROUTES4, KV_ROUTES6 };
	static const unsigned int no_groups[] = { 0 };
	uint64_t deadline = loop_now_ms() + (timeout_ms > 0 ? (uint64_t)timeout_ms : 0);
	struct nl_sock *sock;
	struct ask *ask = calloc(1, sizeof(*ask));
	int err = 0;

	if (!ask)
		return -ENOMEM;
	sock = nlsock_open(NETLINK_ROUTE, no_groups);
	if (!sock)
		err = -errno;
	ask->route = route;
	ask->arg = arg;
	for (size_t i = 0; !err && i < sizeof(order) / sizeof(order[0]); i++)
		err = ask_step(ask, sock, order[i], deadline);
	nl_socket_free(sock);
	free(ask);
	return err;
}
