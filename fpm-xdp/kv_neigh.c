/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of neighbours: kept so that those that went away during an overrun can be told. */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

/*
 * States in which the address is one that Linux would use now. NUD_NOARP is left out: it is what
 * the kernel gives to multicast and broadcast addresses.
 */
#define USABLE (NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

static struct kv_neigh **neigh_bucket(struct kernel_view *view, uint32_t ifindex,
				      const struct fx_addr *addr)
{
	uint32_t hash = 2166136261u ^ ifindex; /* FNV-1a */

	for (size_t i = 0; i < sizeof(addr->bytes); i++)
		hash = (hash ^ addr->bytes[i]) * 16777619u;
	return &view->neighs.buckets[(hash ^ hash >> 16) % KV_NEIGH_BUCKETS];
}

static void neigh_delete(struct kernel_view *view, struct kv_neigh **at)
{
	struct kv_neigh *neigh = *at;

	*at = neigh->next;
	view->ops.neigh_del(view->arg, neigh->ifindex, &neigh->addr);
	free(neigh);
}

static void neigh_set(struct kernel_view *view, struct kv_neigh **at, const struct kv_neigh *now)
{
	struct kv_neigh *neigh = *at;
	bool changed = !neigh || neigh->nud != now->nud || memcmp(neigh->mac, now->mac, 6) != 0;

	if (!neigh) {
		neigh = calloc(1, sizeof(*neigh));
		if (!neigh) {
			view->stats.errors++;
			return;
		}
		neigh->ifindex = now->ifindex;
		neigh->addr = now->addr;
		*at = neigh;
	}
	neigh->stale = false;
	neigh->nud = now->nud;
	memcpy(neigh->mac, now->mac, sizeof(neigh->mac));
	if (changed)
		view->ops.neigh(view->arg, neigh->ifindex, &neigh->addr, neigh->mac, neigh->nud);
}

/* Whether ndm and dst name a neighbour of IPv4 or IPv6. */
static bool neigh_key(const struct ndmsg *ndm, const struct nlattr *dst, struct kv_neigh *ret)
{
	int len = (int)fx_family_bits(ndm->ndm_family) / 8;

	if (!len || !dst || nla_len(dst) != len || ndm->ndm_ifindex <= 0 ||
	    (ndm->ndm_flags & NTF_PROXY))
		return false;
	ret->ifindex = (uint32_t)ndm->ndm_ifindex;
	ret->addr.family = ndm->ndm_family;
	memcpy(ret->addr.bytes, nla_data(dst), (size_t)len);
	return true;
}

void kv_neigh_message(struct kernel_view *view, struct nlmsghdr *hdr)
{
	const struct ndmsg *ndm = nlmsg_data(hdr);
	struct nlattr *tb[NDA_MAX + 1];
	struct kv_neigh now = { 0 };
	struct kv_neigh **at;

	/* AF_BRIDGE: forwarding database entries */
	if (nlmsg_parse(hdr, sizeof(*ndm), tb, NDA_MAX, NULL) < 0 ||
	    !neigh_key(ndm, tb[NDA_DST], &now))
		return;
	at = neigh_bucket(view, now.ifindex, &now.addr);
	while (*at && ((*at)->ifindex != now.ifindex || !fx_addr_equal(&(*at)->addr, &now.addr)))
		at = &(*at)->next;
	now.nud = ndm->ndm_state;
	if (hdr->nlmsg_type == RTM_NEWNEIGH && (now.nud & USABLE) && tb[NDA_LLADDR] &&
	    nla_len(tb[NDA_LLADDR]) == sizeof(now.mac)) {
		memcpy(now.mac, nla_data(tb[NDA_LLADDR]), sizeof(now.mac));
		neigh_set(view, at, &now);
	} else if (*at) {
		neigh_delete(view, at);
	}
}

void kv_neigh_mark(struct kernel_view *view)
{
	for (size_t i = 0; i < KV_NEIGH_BUCKETS; i++)
		for (struct kv_neigh *neigh = view->neighs.buckets[i]; neigh; neigh = neigh->next)
			neigh->stale = true;
}

/* Deletes the stale ones (ifindex 0) or those of one interface. */
static void neigh_delete_some(struct kernel_view *view, uint32_t ifindex)
{
	for (size_t i = 0; i < KV_NEIGH_BUCKETS; i++) {
		struct kv_neigh **at = &view->neighs.buckets[i];

		while (*at) {
			if (ifindex ? (*at)->ifindex == ifindex : (*at)->stale)
				neigh_delete(view, at);
			else
				at = &(*at)->next;
		}
	}
}

void kv_neigh_sweep(struct kernel_view *view)
{
	neigh_delete_some(view, 0);
}

void kv_neigh_forget(struct kernel_view *view, uint32_t ifindex)
{
	neigh_delete_some(view, ifindex);
}

void kv_neigh_done(struct kernel_view *view)
{
	for (size_t i = 0; i < KV_NEIGH_BUCKETS; i++)
		while (view->neighs.buckets[i]) {
			struct kv_neigh *neigh = view->neighs.buckets[i];

			view->neighs.buckets[i] = neigh->next;
			free(neigh);
		}
}
