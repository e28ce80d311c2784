/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The router's interfaces: a sorted table, and what follows from its facts. */
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/iface.h"

#define IFACE_ETHER 1 /* ARPHRD_ETHER */

struct iface_table {
	struct iface **list; /* by index */
	size_t n;
	size_t size;
	bool slots[FX_MAX_SLOTS]; /* taken */
};

struct iface_table *iface_table_new(void)
{
	struct iface_table *table = calloc(1, sizeof(*table));

	if (table)
		table->slots[0] = true; /* stands for "none" */
	return table;
}

void iface_table_free(struct iface_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->n; i++)
		free(table->list[i]);
	free(table->list);
	free(table);
}

/* Where ifindex is, or belongs. */
static size_t iface_place(const struct iface_table *table, uint32_t ifindex)
{
	size_t lo = 0, hi = table->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (table->list[mid]->link.ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct iface *iface_find(const struct iface_table *table, uint32_t ifindex)
{
	size_t i = iface_place(table, ifindex);

	return i < table->n && table->list[i]->link.ifindex == ifindex ? table->list[i] : NULL;
}

struct iface *iface_by_name(const struct iface_table *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->n; i++)
		if (!strcmp(table->list[i]->link.name, name))
			return table->list[i];
	return NULL;
}

struct iface *iface_add(struct iface_table *table, uint32_t ifindex)
{
	size_t i = iface_place(table, ifindex);
	struct iface *iface = iface_find(table, ifindex);
	struct iface **grown;

	if (iface)
		return iface;
	if (table->n == table->size) {
		grown = realloc(table->list, (table->size * 2 + 16) * sizeof(*grown));
		if (!grown)
			return NULL;
		table->list = grown;
		table->size = table->size * 2 + 16;
	}
	iface = calloc(1, sizeof(*iface));
	if (!iface)
		return NULL;
	iface->link.ifindex = ifindex;
	iface->eligibility.why4 = iface->eligibility.why6 = 1u << ELIGIBLE_UNKNOWN;
	memmove(table->list + i + 1, table->list + i, (table->n - i) * sizeof(*table->list));
	table->list[i] = iface;
	table->n++;
	return iface;
}

void iface_del(struct iface_table *table, uint32_t ifindex)
{
	size_t i = iface_place(table, ifindex);

	if (!iface_find(table, ifindex))
		return;
	iface_drop_slot(table, table->list[i]);
	free(table->list[i]);
	table->n--;
	memmove(table->list + i, table->list + i + 1, (table->n - i) * sizeof(*table->list));
}

struct iface *iface_next(const struct iface_table *table, uint32_t ifindex)
{
	size_t i = iface_place(table, ifindex + 1);

	return i < table->n ? table->list[i] : NULL;
}

bool iface_take_slot(struct iface_table *table, struct iface *iface, uint16_t slot)
{
	uint16_t i;

	if (iface->slot)
		return true;
	if (slot >= FX_MAX_SLOTS || table->slots[slot])
		slot = 0;
	for (i = 1; !slot && i < FX_MAX_SLOTS; i++)
		if (!table->slots[i])
			slot = i;
	if (!slot)
		return false;
	table->slots[slot] = true;
	iface->slot = slot;
	return true;
}

void iface_drop_slot(struct iface_table *table, struct iface *iface)
{
	if (iface->slot)
		table->slots[iface->slot] = false;
	iface->slot = 0;
}

/* Not everything of type Ethernet stands for a wire: what these carry comes through their ports. */
static bool iface_is_fit(const struct iface *iface)
{
	const struct kv_link *link = &iface->link;

	return link->type == IFACE_ETHER && link->ifindex < FX_MAX_IFINDEX && !link->master &&
	       strcmp(link->kind, "bridge") != 0 && strcmp(link->kind, "vrf") != 0;
}

bool iface_is_wanted(const struct iface *iface, const struct conf *conf)
{
	const struct conf_interface *named = conf_find(conf, iface->link.name);

	if (named)
		return named->forwarding;
	return !conf_selects(conf) && iface_is_fit(iface);
}

/* What packets that come in may do. A predecessor's judgement stands where there is none yet, so
 * that a restart does not send packets round by Linux; what is known to forbid it counts at once.
 */
static uint32_t iface_flags(const struct iface *iface)
{
	uint32_t flags = 0;

	if (!iface->judged)
		return iface->inherits ? iface->inherited : 0;
	if (!iface->eligibility.why4)
		flags |= FX_IF_FWD4;
	if (!iface->eligibility.why6)
		flags |= FX_IF_FWD6;
	return iface->inherits ? flags & iface->inherited : flags;
}

uint64_t iface_word0(const struct iface *iface)
{
	if (!iface->attached)
		return 0;
	return fx_iface_word0(FX_IF_ATTACHED | iface_flags(iface), iface->slot,
			      iface->link.vrf_table ? iface->link.vrf_table : FX_VRF_DEFAULT);
}

void iface_fib_link(const struct iface *iface, struct fib_link *ret)
{
	const struct kv_link *link = &iface->link;

	*ret = (struct fib_link){
		.ifindex = link->ifindex,
		.up = link->admin_up && link->carrier,
		.xdp_tx = iface->attached && link->xdp_tx,
		.xdp_sg = iface->attached && link->xdp_sg,
		.ether = link->type == IFACE_ETHER,
		.mtu = link->mtu,
	};
	memcpy(ret->name, link->name, sizeof(ret->name));
	memcpy(ret->mac, link->mac, sizeof(ret->mac));
}
