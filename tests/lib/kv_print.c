/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints what the kernel view tells, a line for each call, until standard input ends. Its lines are
 * commands: "use IFNAME ADDRESS", "resync", "stats", "snapshot", "local PORT".
 * For tests/netns/test_kernel_view.py, and to look at a machine by hand.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fpm-xdp/kernel_view.h"
#include "lib/loop.h"

#define NAMES 65536

struct print {
	struct loop *loop;
	struct loop_source *idle;
	struct kernel_view *view;
	char names[NAMES][16];
	size_t snapshot;
};

static const char *name(struct print *print, uint32_t ifindex)
{
	return ifindex && ifindex < NAMES && print->names[ifindex][0] ? print->names[ifindex] : "-";
}

static void on_link(void *arg, const struct kv_link *link)
{
	struct print *print = arg;

	if (link->ifindex < NAMES)
		memcpy(print->names[link->ifindex], link->name, sizeof(link->name));
	printf("link %s kind=%s type=%u up=%d carrier=%d mtu=%u master=%s master_kind=%s vrf=%u "
	       "mac=%02x:%02x:%02x:%02x:%02x:%02x xdp=%u mode=%u tx=%d sg=%d shaped=%d\n",
	       link->name, link->kind[0] ? link->kind : "-", link->type, link->admin_up,
	       link->carrier, link->mtu, name(print, link->master),
	       link->master_kind[0] ? link->master_kind : "-", link->vrf_table, link->mac[0],
	       link->mac[1], link->mac[2], link->mac[3], link->mac[4], link->mac[5], link->xdp_prog,
	       link->xdp_mode, link->xdp_tx, link->xdp_sg, link->shaped);
}

static void on_link_del(void *arg, uint32_t ifindex)
{
	struct print *print = arg;

	printf("link_del %s\n", name(print, ifindex));
	if (ifindex < NAMES)
		print->names[ifindex][0] = '\0';
}

static void on_addr_del(void *arg, uint32_t ifindex)
{
	printf("addr_del %s\n", name(arg, ifindex));
}

static void on_neigh(void *arg, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6],
		     uint16_t nud)
{
	char text[FX_ADDR_STRLEN];

	printf("neigh %s %s mac=%02x:%02x:%02x:%02x:%02x:%02x nud=0x%02x\n", name(arg, ifindex),
	       fx_addr_str(addr, text), mac[0], mac[1], mac[2], mac[3], mac[4], mac[5], nud);
}

static void on_neigh_del(void *arg, uint32_t ifindex, const struct fx_addr *addr)
{
	char text[FX_ADDR_STRLEN];

	printf("neigh_del %s %s\n", name(arg, ifindex), fx_addr_str(addr, text));
}

static void print_paths(struct print *print, const struct rt_op *op)
{
	char text[FX_ADDR_STRLEN];

	for (size_t i = 0; i < op->npaths; i++) {
		const struct rt_path *path = &op->paths[i];

		if (op->flags & RT_F_GROUP)
			printf(" member=%u*%u", path->nh_id, path->weight);
		else
			printf(" via=%s@%s*%u",
			       path->gw.family ? fx_addr_str(&path->gw, text) : "-",
			       name(print, path->ifindex), path->weight);
	}
	printf("\n");
}

static void on_route(void *arg, const struct rt_op *op)
{
	static const char *const verbs[] = { [RT_ROUTE_ADD] = "route",
					     [RT_ROUTE_DEL] = "route_del",
					     [RT_NH_ADD] = "nexthop",
					     [RT_NH_DEL] = "nexthop_del",
					     [RT_SKIP] = "skip" };
	char text[FX_PREFIX_STRLEN];

	printf("%s", verbs[op->verb]);
	if (op->verb == RT_ROUTE_ADD || op->verb == RT_ROUTE_DEL)
		printf(" %s table=%u type=%u proto=%u metric=%u",
		       op->dst.family ? fx_prefix_str(&op->dst, text) : "-", op->table,
		       op->rtm_type, op->protocol, op->metric);
	printf(" nh=%u", op->nh_id);
	printf("%s", op->flags & RT_F_DUMP ? " dump" : "");
	print_paths(arg, op);
}

static void on_begin(void *arg)
{
	printf("resync_begin\n");
}

static void on_end(void *arg)
{
	printf("resync_end\n");
}

static void print_reasons(uint32_t why)
{
	printf("%s", why ? "" : "yes");
	for (unsigned int i = 0; i < ELIGIBLE_REASONS; i++)
		if (why & 1u << i) {
			printf("%s", eligibility_reason_name(i));
			why &= ~(1u << i);
			printf("%s", why ? "," : "");
		}
}

static void on_eligible(void *arg, uint32_t ifindex, const struct eligibility *eligibility)
{
	printf("eligible %s v4=", name(arg, ifindex));
	print_reasons(eligibility->why4);
	printf(" v6=");
	print_reasons(eligibility->why6);
	printf("\n");
}

static void on_snapshot(void *arg, const struct rt_op *op)
{
	struct print *print = arg;

	print->snapshot += op->verb == RT_ROUTE_ADD;
}

/* Once nothing else is to be read: what the kernel had said by then has been printed. */
static int print_stats(void *arg, unsigned int what)
{
	struct print *print = arg;
	struct kernel_view_stats stats;

	kernel_view_stats(print->view, &stats);
	printf("stats messages=%llu overruns=%llu resyncs=%llu errors=%llu synced=%d\n",
	       (unsigned long long)stats.messages, (unsigned long long)stats.overruns,
	       (unsigned long long)stats.resyncs, (unsigned long long)stats.errors, stats.synced);
	return 0;
}

static void command(struct print *print, const char *line)
{
	char ifname[IF_NAMESIZE], text[FX_ADDR_STRLEN];
	struct fx_addr addr;
	unsigned int port;
	int err;

	if (sscanf(line, "use %15s %45s", ifname, text) == 2 && !fx_addr_parse(text, &addr)) {
		printf("used %d\n",
		       kernel_view_neigh_use(print->view, if_nametoindex(ifname), &addr));
	} else if (sscanf(line, "local %u", &port) == 1) {
		printf("local %d\n", kernel_view_is_local_port(port));
	} else if (!strncmp(line, "resync", 6)) {
		kernel_view_resync(print->view);
	} else if (!strncmp(line, "snapshot", 8)) {
		print->snapshot = 0;
		err = kernel_view_snapshot(5000, on_snapshot, print);
		printf("snapshot %d routes=%zu\n", err, print->snapshot);
	} else {
		loop_idle_set(print->idle, true);
	}
}

static int on_stdin(void *arg, unsigned int what)
{
	struct print *print = arg;
	char line[256];

	/* unbuffered: a line that stdio held back would never make the descriptor readable */
	if (fgets(line, sizeof(line), stdin))
		command(print, line);
	else
		loop_exit(print->loop, 0);
	return 0;
}

static int run(struct print *print)
{
	static const struct kernel_view_ops ops = {
		.link = on_link,
		.link_del = on_link_del,
		.addr_del = on_addr_del,
		.neigh = on_neigh,
		.neigh_del = on_neigh_del,
		.route = on_route,
		.resync_begin = on_begin,
		.resync_end = on_end,
		.eligible = on_eligible,
	};
	struct loop_source *input;
	int status = 1;

	print->view = kernel_view_new(print->loop, &ops, print);
	print->idle = loop_idle(print->loop, "stats", print_stats, print);
	input = loop_fd(print->loop, "stdin", LOOP_PRIO_SIGNAL, STDIN_FILENO, LOOP_READ, on_stdin,
			print);
	if (print->view && print->idle && input)
		status = loop_run(print->loop);
	else
		perror("kv_print");
	loop_source_free(input);
	loop_source_free(print->idle);
	kernel_view_free(print->view);
	return status;
}

int main(void)
{
	struct print *print = calloc(1, sizeof(*print));
	int status = 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	if (!print)
		return status;
	print->loop = loop_new();
	if (print->loop)
		status = run(print);
	loop_free(print->loop);
	free(print);
	return status;
}
