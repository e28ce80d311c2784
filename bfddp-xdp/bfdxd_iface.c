/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel half is attached: on each Ethernet interface with sessions. fpm-xdp attaches the
 * same root program for its own reasons, so the wish for it is marked per daemon (bpf/fx_abi.h,
 * struct fx_iface), and what fpm-xdp has attached is used as it is.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "bpf/fx_abi.h"
#include "lib/loop.h"

#define IFACE_VETH_MS 10000u
#define IFACE_IDLE_MS 10000u /* attaching resets some devices, so a session may come back first */

static struct bfdxd_iface *iface_find(const struct bfdxd *d, uint32_t ifindex)
{
	uint32_t i;

	for (i = 0; i < d->nifaces; i++)
		if (d->ifaces[i].ifindex == ifindex)
			return &d->ifaces[i];
	return NULL;
}

const struct bfdxd_iface *bfdxd_iface_find(const struct bfdxd *d, uint32_t ifindex)
{
	return iface_find(d, ifindex);
}

/* Our wish in the interface's word; what it was before. */
static uint64_t iface_mark(struct bfdxd *d, uint32_t ifindex, bool on)
{
	uint64_t old, word;

	do {
		old = bpfmap_load64(&d->maps->ifaces, ifindex, 0);
		word = on ? old | FX_IF_BFD : old & ~(uint64_t)FX_IF_BFD;
	} while (!bpfmap_cas64(&d->maps->ifaces, ifindex, 0, old, word));
	return old;
}

static void iface_release(struct bfdxd *d, uint32_t ifindex)
{
	if (ifindex >= FX_MAX_IFINDEX)
		return;
	if (!(iface_mark(d, ifindex, false) & FX_IF_ATTACHED))
		xdp_detach(d->bpf_dir, ifindex);
}

/*
 * A veth wakes its other end for what a program sends back only while that has a program, too
 * (veth_xdp_flush() in drivers/net/veth.c, Linux 6.1 to 6.18; GRO there is enough for frames that
 * are redirected, not for these). Otherwise they are lost without a word.
 */
static bool iface_sends(struct bfdxd *d, const struct net_link *link, char *why)
{
	if (!link->is_veth || net_view_peer_has_xdp(d->net, link))
		return true;
	snprintf(why, XDP_WHY_SIZE,
		 "the other end of the veth has no native XDP program, so that it does not get "
		 "what XDP sends back");
	return false;
}

static int iface_attach_root(struct bfdxd *d, struct bfdxd_iface *iface, char *why)
{
	struct xdp_state state;

	iface_mark(d, iface->ifindex, true);
	if (!xdp_state(d->bpf_dir, iface->ifindex, &state) && state.ours)
		return 0;
	return xdp_attach(d->bpf_dir, iface->ifindex, bfd_programs_root_fd(d->programs),
			  d->conf.generic, why);
}

static void iface_attach(struct bfdxd *d, struct bfdxd_iface *iface)
{
	const struct net_link *link = net_view_link(d->net, iface->ifindex);
	const char *name = link ? link->name : "?";
	char why[XDP_WHY_SIZE] = "";
	int rc = -EOPNOTSUPP;

	iface->attached = false;
	if (!d->maps->kernel)
		strcpy(why, "--no-xdp");
	else if (iface->ifindex >= FX_MAX_IFINDEX)
		strcpy(why, "the interface's index is too high");
	else if (!link || !link->ether)
		strcpy(why, "no Ethernet interface");
	else if (iface_sends(d, link, why))
		rc = iface_attach_root(d, iface, why);
	if (!rc) {
		iface->attached = true;
		iface->why[0] = '\0';
		log_info("iface", "BFD in XDP name=%s", name);
		return;
	}
	if (d->maps->kernel && iface->ifindex < FX_MAX_IFINDEX)
		iface_mark(d, iface->ifindex, false);
	if (strcmp(iface->why, why) != 0 && d->maps->kernel)
		log_warning("iface", "BFD by sockets name=%s why=\"%s\"", name, why);
	memcpy(iface->why, why, sizeof(why));
}

static struct bfdxd_iface *iface_get(struct bfdxd *d, uint32_t ifindex)
{
	struct bfdxd_iface *iface = iface_find(d, ifindex);
	void *more;

	if (iface)
		return iface;
	more = realloc(d->ifaces, (d->nifaces + 1) * sizeof(*d->ifaces));
	if (!more)
		return NULL;
	d->ifaces = more;
	iface = &d->ifaces[d->nifaces++];
	*iface = (struct bfdxd_iface){ .ifindex = ifindex };
	iface_attach(d, iface);
	return iface;
}

bool bfdxd_iface_use(struct bfdxd *d, struct bfd_entry *entry, uint32_t ifindex)
{
	struct bfdxd_slot *slot = &d->slots[entry->slot];
	struct bfdxd_iface *iface = iface_find(d, slot->ifindex);

	if (slot->ifindex == ifindex)
		return iface && iface->attached;
	if (iface && !--iface->sessions)
		iface->idle_ms = loop_now_ms();
	slot->ifindex = 0;
	iface = ifindex ? iface_get(d, ifindex) : NULL;
	if (!iface)
		return false;
	iface->sessions++;
	slot->ifindex = ifindex;
	return iface->attached;
}

/* Whether the kernel half (still) carries BFD there; a change is for the sessions to follow. */
static bool iface_check(struct bfdxd *d, struct bfdxd_iface *iface, const struct net_link *link)
{
	bool was = iface->attached;
	char why[XDP_WHY_SIZE];
	struct xdp_state state;

	if (!was || xdp_state(d->bpf_dir, iface->ifindex, &state) < 0 || !state.ours ||
	    !iface_sends(d, link, why))
		iface_attach(d, iface);
	return iface->attached != was;
}

/* Another may have taken the program off, or made room for it. */
void bfdxd_iface_link(struct bfdxd *d, const struct net_link *link)
{
	struct bfdxd_iface *iface = iface_find(d, link->ifindex);

	if (iface && d->maps->kernel)
		iface_check(d, iface, link);
}

static void iface_drop(struct bfdxd *d, struct bfdxd_iface *iface)
{
	if (d->maps->kernel)
		iface_release(d, iface->ifindex);
	*iface = d->ifaces[--d->nifaces];
}

void bfdxd_iface_gone(struct bfdxd *d, uint32_t ifindex)
{
	struct bfdxd_iface *iface = iface_find(d, ifindex);

	if (iface)
		iface_drop(d, iface);
}

void bfdxd_iface_second(struct bfdxd *d)
{
	uint64_t now = loop_now_ms();
	const struct net_link *link;
	uint32_t i;

	/* Not every change at the other end is told. Rarely: the question waits for the RTNL lock,
	 * and all else for the answer. */
	for (i = 0; i < d->nifaces && d->maps->kernel && now >= d->veth_ms; i++) {
		link = net_view_link(d->net, d->ifaces[i].ifindex);
		if (link && link->is_veth && iface_check(d, &d->ifaces[i], link))
			loop_timer_set(d->path_timer, 0);
	}
	if (now >= d->veth_ms)
		d->veth_ms = now + IFACE_VETH_MS;
	for (i = d->nifaces; i-- > 0;)
		if (!d->ifaces[i].sessions && now - d->ifaces[i].idle_ms >= IFACE_IDLE_MS)
			iface_drop(d, &d->ifaces[i]);
}

void bfdxd_iface_forget(struct bfdxd *d)
{
	uint32_t ifindex;

	for (ifindex = 1; ifindex < FX_MAX_IFINDEX; ifindex++)
		if (bpfmap_load64(&d->maps->ifaces, ifindex, 0) & FX_IF_BFD)
			iface_release(d, ifindex);
}
