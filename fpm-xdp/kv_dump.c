/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dumps, one after the other on the socket that notifications come on: a socket takes one dump at a
 * time (the kernel answers EBUSY to a second). Links come first, so that all that follows finds its
 * interface; nexthops before the routes that name them.
 *
 * A dump in which the table changed (NLM_F_DUMP_INTR) may lack an entry that has been there all the
 * time: it ends no bracket and sweeps nothing, but is done again.
 */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netconf.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <string.h>

#define TRIES 3 /* at once; then with the next poll */

static const struct kv_dump_step {
	const char *name;
	uint16_t type;
	uint8_t family; /* the first byte of each body; the rest is zero */
	uint8_t body;
} steps[KV_STEPS] = {
	[KV_LINKS] = { "links", RTM_GETLINK, AF_UNSPEC, sizeof(struct ifinfomsg) },
	[KV_CONF4] = { "netconf-ipv4", RTM_GETNETCONF, AF_INET, sizeof(struct netconfmsg) },
	[KV_CONF6] = { "netconf-ipv6", RTM_GETNETCONF, AF_INET6, sizeof(struct netconfmsg) },
	[KV_QDISCS] = { "qdiscs", RTM_GETQDISC, AF_UNSPEC, sizeof(struct tcmsg) },
	[KV_NEIGHS] = { "neighbours", RTM_GETNEIGH, AF_UNSPEC, sizeof(struct ndmsg) },
	[KV_NEXTHOPS] = { "nexthops", RTM_GETNEXTHOP, AF_UNSPEC, sizeof(struct nhmsg) },
	[KV_ROUTES4] = { "routes-ipv4", RTM_GETROUTE, AF_INET, sizeof(struct rtmsg) },
	[KV_ROUTES6] = { "routes-ipv6", RTM_GETROUTE, AF_INET6, sizeof(struct rtmsg) },
	[KV_RULES] = { "rules", RTM_GETRULE, AF_UNSPEC, sizeof(struct fib_rule_hdr) },
};

struct nl_msg *kv_dump_request(enum kv_step step)
{
	uint8_t body[64] = { steps[step].family };
	struct nl_msg *msg = nlsock_request(steps[step].type, NLM_F_DUMP, body, steps[step].body);

	if (msg && step == KV_LINKS && nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static void dump_before(struct kernel_view *view, enum kv_step step)
{
	struct kv_dump *dump = &view->dump;

	if ((KV_BIT(step) & KV_ROUTES_BITS) && (!dump->bracket || dump->again)) {
		dump->bracket = true;
		dump->again = false;
		dump->pending |= KV_ROUTES_BITS & ~KV_BIT(step);
		dump->later &= ~KV_ROUTES_BITS;
		view->ops.resync_begin(view->arg);
	}
	if (step == KV_LINKS)
		kv_link_mark(view);
	if (step == KV_NEIGHS)
		kv_neigh_mark(view);
	if (step == KV_RULES)
		kv_conf_rules_begin(view);
	if (step == KV_QDISCS)
		kv_conf_qdiscs_begin(view);
}

/* The dump was whole, or there is no such thing in this kernel. */
static void dump_after(struct kernel_view *view, enum kv_step step, bool supported)
{
	struct kv_dump *dump = &view->dump;

	dump->tries = 0;
	dump->done |= KV_BIT(step);
	view->links.judge = true;
	if (step == KV_LINKS)
		kv_link_sweep(view);
	if (step == KV_NEIGHS)
		kv_neigh_sweep(view);
	/* when wanted once more already, the table has changed: that one will tell */
	if (step == KV_RULES && !(dump->pending & KV_BIT(step)))
		kv_conf_rules_end(view, supported);
	if (step == KV_QDISCS) {
		kv_conf_sysctls(view);
		kv_conf_tcx(view); /* before anything is judged for the first time */
		if (!(dump->pending & KV_BIT(step)))
			kv_conf_qdiscs_end(view);
	}
}

static void dump_bracket_end(struct kernel_view *view)
{
	struct kv_dump *dump = &view->dump;

	if (!dump->bracket || dump->again || ((dump->pending | dump->later) & KV_ROUTES_BITS))
		return;
	dump->bracket = false;
	view->stats.resyncs++;
	view->ops.resync_end(view->arg);
}

static bool dump_is_synced(const struct kv_dump *dump)
{
	uint32_t open = dump->pending | dump->later | (dump->step < 0 ? 0 : KV_BIT(dump->step));

	return dump->done == KV_ALL && !dump->bracket && !(open & ~KV_BIT(KV_LINKS));
}

static void dump_next(struct kernel_view *view)
{
	struct kv_dump *dump = &view->dump;

	while (dump->step < 0 && dump->pending) {
		enum kv_step step = (enum kv_step)__builtin_ctz(dump->pending);
		int err;

		/* the first route step of a bracket starts it, whichever was asked for */
		if ((KV_BIT(step) & KV_ROUTES_BITS) && (!dump->bracket || dump->again))
			step = KV_NEXTHOPS;
		dump->pending &= ~KV_BIT(step);
		dump->interrupted = false;
		dump_before(view, step);
		err = nlsock_post(view->sock, kv_dump_request(step), &dump->seq);
		if (!err) {
			dump->step = (int)step;
			break;
		}
		view->stats.errors++;
		dump->later |= KV_BIT(step);
	}
	view->stats.synced = dump_is_synced(dump);
}

static void dump_finish(struct kernel_view *view, int err)
{
	struct kv_dump *dump = &view->dump;
	enum kv_step step = (enum kv_step)dump->step;

	dump->step = -1;
	if (err && !nlsock_absent(err)) {
		log_limited(&dump->limit, LOG_LEVEL_WARNING, "kernel",
			    "dump failed what=%s error=%s", steps[step].name, strerror(-err));
		view->stats.errors++;
		dump->later |= KV_BIT(step);
	} else if (dump->interrupted) {
		if (++dump->tries < TRIES)
			dump->pending |= KV_BIT(step);
		else
			dump->later |= KV_BIT(step);
	} else {
		dump_after(view, step, !err);
	}
	dump_bracket_end(view);
	dump_next(view);
}

static int dump_settled(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;
	uint32_t wanted = view->dump.settle;

	view->dump.settle = 0;
	kv_dump_want(view, wanted);
	return 0;
}

int kv_dump_init(struct kernel_view *view)
{
	view->dump.step = -1;
	view->settle = loop_timer(view->loop, "kernel-settle", LOOP_PRIO_NORMAL, dump_settled,
				  view);
	return view->settle ? 0 : -errno;
}

void kv_dump_want(struct kernel_view *view, uint32_t wanted)
{
	view->dump.pending |= wanted;
	view->dump.later &= ~wanted;
	if (wanted & KV_ROUTES_BITS)
		view->dump.again = view->dump.bracket;
	dump_next(view);
}

void kv_dump_settle(struct kernel_view *view, uint32_t wanted)
{
	view->dump.settle |= wanted;
	if (!loop_timer_armed(view->settle))
		loop_timer_set(view->settle, KV_SETTLE_MS);
}

/*
 * Links are read again each second, less often when there are hundreds: neither disable_ipv6 and
 * the IPv6 MTU (sysctls) nor a program attached by bpf_link gives a notification (Linux 6.18).
 */
void kv_dump_poll(struct kernel_view *view)
{
	if (++view->dump.polls > view->links.count / 256) {
		view->dump.polls = 0;
		view->dump.pending |= KV_BIT(KV_LINKS);
	}
	view->dump.pending |= view->dump.later;
	view->dump.later = 0;
	view->dump.tries = 0;
	dump_next(view);
}

bool kv_dump_owns(struct kernel_view *view, const struct nlmsghdr *hdr)
{
	return view->dump.step >= 0 && hdr->nlmsg_seq == view->dump.seq &&
	       hdr->nlmsg_pid == nl_socket_get_local_port(view->sock);
}

bool kv_dump_control(struct kernel_view *view, const struct nlmsghdr *hdr)
{
	bool ours = kv_dump_owns(view, hdr);

	if (ours && (hdr->nlmsg_flags & NLM_F_DUMP_INTR))
		view->dump.interrupted = true;
	if (hdr->nlmsg_type >= NLMSG_MIN_TYPE)
		return false;
	if (ours && nlsock_end(hdr, view->dump.seq) <= 0)
		dump_finish(view, nlsock_end(hdr, view->dump.seq));
	return true;
}
