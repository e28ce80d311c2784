/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The router's interfaces as the daemon sees them: what the kernel says, what the operator wants,
 * what came of it. Pure; a table by index.
 */
#ifndef FX_FPM_IFACE_H
#define FX_FPM_IFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/fx_abi.h"
#include "fpm-xdp/eligibility.h"
#include "fpm-xdp/fib.h"
#include "fpm-xdp/link_facts.h"
#include "lib/conf.h"

#define IFACE_WHY_SIZE 200

struct iface {
	struct kv_link link;
	struct eligibility eligibility; /* until judged: not eligible, reason unknown */
	bool judged;
	bool inherits;	    /* a predecessor's flags stand until all facts are there */
	uint32_t inherited; /* FX_IF_FWD4, FX_IF_FWD6 */
	bool wanted;	    /* our program should be on it */
	bool attached;
	bool generic;
	uint16_t slot;		  /* of its counters; 0: none */
	struct eligibility told;  /* the reasons that the log has last */
	char why[IFACE_WHY_SIZE]; /* why it is wanted and not attached; "": it is not so */
};

struct iface_table;

struct iface_table *iface_table_new(void); /* NULL: no memory */
void iface_table_free(struct iface_table *table);

struct iface *iface_find(const struct iface_table *table, uint32_t ifindex); /* NULL: none */
struct iface *iface_by_name(const struct iface_table *table, const char *name);
struct iface *iface_add(struct iface_table *table, uint32_t ifindex); /* finds or makes; NULL */
void iface_del(struct iface_table *table, uint32_t ifindex);	      /* its slot becomes free */
/* The one with the next higher index; ifindex 0: the first. NULL: no more. */
struct iface *iface_next(const struct iface_table *table, uint32_t ifindex);

/* A slot for counters: slot, if it is not 0 and free (a predecessor's), else any. false: all taken.
 */
bool iface_take_slot(struct iface_table *table, struct iface *iface, uint16_t slot);
void iface_drop_slot(struct iface_table *table, struct iface *iface);

/*
 * Whether the configuration wants our program on it. Without any interface chosen by name: Ethernet
 * devices that are nobody's port and not switched off by name.
 */
bool iface_is_wanted(const struct iface *iface, const struct conf *conf);

/* Its word in fx_ifaces, 0 when it is not attached; and what the model is to know of it. */
uint64_t iface_word0(const struct iface *iface);
void iface_fib_link(const struct iface *iface, struct fib_link *ret);

#endif
