/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interfaces: where our program is, and what packets may do there. */
#include "config.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "lib/xdp_attach.h"

_Static_assert(IFACE_WHY_SIZE == XDP_WHY_SIZE, "reasons are copied");

uint32_t fpmd_iface_why(const struct fpmd *fpmd, const struct iface *iface, uint8_t family)
{
	if (family == FX_AF_INET6)
		return iface->eligibility.why6;
	return iface->eligibility.why4 | (uint32_t)fpmd->own_nets << ELIGIBLE_LOCAL_NET;
}

bool fpmd_iface_forwards(const struct fpmd *fpmd, const struct iface *iface, uint8_t family)
{
	uint32_t flag = family == FX_AF_INET ? FX_IF_FWD4 : FX_IF_FWD6;

	return FX_IFACE_FLAGS(fpmd_iface_word0(fpmd, iface)) & flag;
}

uint64_t fpmd_iface_word0(const struct fpmd *fpmd, const struct iface *iface)
{
	uint64_t word0 = iface_word0(iface);

	return fpmd->own_nets ? word0 & ~(uint64_t)FX_IF_FWD4 : word0;
}

/* The one place that tells that packets go round by Linux from now on, or no longer do. */
static void fpmd_iface_tell(const struct iface *iface, const char *family, uint32_t why,
			    uint32_t *told)
{
	char reasons[ELIGIBILITY_TEXT_SIZE];

	if (why == *told)
		return;
	/* An interface without IPv6 has no packets that could go anywhere. */
	if (why)
		log_write(why & 1u << ELIGIBLE_IPV6_DISABLED ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
			  "iface", "%s left to Linux name=%s reasons=%s", family, iface->link.name,
			  eligibility_text(why, reasons));
	else
		log_info("iface", "%s forwarded in XDP again name=%s", family, iface->link.name);
	*told = why;
}

static void fpmd_iface_tell_both(const struct fpmd *fpmd, struct iface *iface)
{
	if (!iface->attached)
		iface->told = (struct eligibility){ 0 };
	if (!iface->attached || !iface->judged || !fpmd->synced)
		return;
	fpmd_iface_tell(iface, "IPv4", fpmd_iface_why(fpmd, iface, FX_AF_INET), &iface->told.why4);
	fpmd_iface_tell(iface, "IPv6", fpmd_iface_why(fpmd, iface, FX_AF_INET6), &iface->told.why6);
}

/* Packets may be sent to it before the model can say so, and come in only when all is set. */
static void fpmd_iface_publish(struct fpmd *fpmd, struct iface *iface)
{
	struct fib_link link;
	uint64_t word0;

	if (iface->judged && fpmd->synced)
		iface->inherits = false;
	word0 = fpmd_iface_word0(fpmd, iface);
	if (iface->attached)
		map_writer_port(fpmd->maps, iface->link.ifindex, true);
	map_writer_iface(fpmd->maps, iface->link.ifindex, word0, iface->link.mac);
	iface_fib_link(iface, &link);
	if (fib_link(fpmd->fib, &link) < 0)
		log_error("iface", "out of memory name=%s", iface->link.name);
	fpmd_iface_tell_both(fpmd, iface);
	fpmd_kick(fpmd);
}

static void fpmd_iface_attach(struct fpmd *fpmd, struct iface *iface)
{
	uint32_t ifindex = iface->link.ifindex;
	char why[XDP_WHY_SIZE];
	bool named, told;
	int rc;

	if (!iface_take_slot(fpmd->ifaces, iface,
			     FX_IFACE_SLOT(map_writer_iface_word0(fpmd->maps, ifindex)))) {
		snprintf(iface->why, sizeof(iface->why), "all %u places for interfaces are taken",
			 FX_MAX_SLOTS - 1);
		return;
	}
	rc = xdp_attach(fpmd->bpf_dir, ifindex, programs_root_fd(fpmd->programs),
			fpmd->conf.generic, why);
	if (!rc) {
		iface->attached = true;
		iface->generic = fpmd->conf.generic;
		iface->why[0] = '\0';
		log_info("iface", "attached name=%s mode=%s", iface->link.name,
			 iface->generic ? "generic" : "native");
		return;
	}
	iface_drop_slot(fpmd->ifaces, iface);
	/* Each link message tries again; the same complaint is made once. An interface that nobody
	 * chose and whose driver has no XDP is no news. */
	named = conf_find(&fpmd->conf, iface->link.name) != NULL;
	told = !strcmp(iface->why, why);
	memcpy(iface->why, why, sizeof(why));
	if (!told)
		log_write(named || rc != -EOPNOTSUPP ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "iface",
			  "not attached name=%s error=\"%s\"", iface->link.name, why);
}

static void fpmd_iface_detach(struct fpmd *fpmd, struct iface *iface)
{
	int rc;

	iface->attached = false;
	fpmd_iface_publish(fpmd, iface);
	map_writer_port(fpmd->maps, iface->link.ifindex, false);
	iface_drop_slot(fpmd->ifaces, iface);
	if (map_writer_iface_is_shared(fpmd->maps, iface->link.ifindex)) {
		log_info("iface", "left to bfddp-xdp name=%s", iface->link.name);
		return;
	}
	rc = xdp_detach(fpmd->bpf_dir, iface->link.ifindex);
	if (rc < 0)
		log_error("iface", "not detached name=%s error=\"%s\"", iface->link.name,
			  strerror(-rc));
	else
		log_info("iface", "detached name=%s", iface->link.name);
}

/* Whether a program of ours is on it, ours or a predecessor's. */
static bool fpmd_iface_is_held(const struct fpmd *fpmd, uint32_t ifindex)
{
	struct xdp_state state;

	return !xdp_state(fpmd->bpf_dir, ifindex, &state) && state.ours;
}

/* Attached by a predecessor, and not wanted any more by anyone. */
static bool fpmd_iface_is_left_over(const struct fpmd *fpmd, const struct iface *iface)
{
	return iface->link.xdp_prog && fpmd_iface_is_held(fpmd, iface->link.ifindex) &&
	       !map_writer_iface_is_shared(fpmd->maps, iface->link.ifindex);
}

static void fpmd_iface_update(struct fpmd *fpmd, struct iface *iface)
{
	bool again = iface->attached && iface->generic != fpmd->conf.generic;

	iface->wanted = iface_is_wanted(iface, &fpmd->conf);
	if (iface->wanted && (!iface->attached || again))
		fpmd_iface_attach(fpmd, iface);
	if (!iface->wanted)
		iface->why[0] = '\0';
	if (!iface->wanted && (iface->attached || fpmd_iface_is_left_over(fpmd, iface)))
		fpmd_iface_detach(fpmd, iface);
	else
		fpmd_iface_publish(fpmd, iface);
}

static void fpmd_iface_inherit(const struct fpmd *fpmd, struct iface *iface)
{
	uint64_t word0 = map_writer_iface_word0(fpmd->maps, iface->link.ifindex);

	iface->inherits = word0 != 0;
	iface->inherited = FX_IFACE_FLAGS(word0) & (FX_IF_FWD4 | FX_IF_FWD6);
}

void fpmd_link(void *arg, const struct kv_link *link)
{
	struct fpmd *fpmd = arg;
	struct iface *iface = iface_find(fpmd->ifaces, link->ifindex);
	bool is_new = !iface;

	if (fpmd->detached)
		return;
	if (is_new)
		iface = iface_add(fpmd->ifaces, link->ifindex);
	if (!iface) {
		log_error("iface", "out of memory name=%s", link->name);
		return;
	}
	if (is_new)
		fpmd_iface_inherit(fpmd, iface);
	/* A link cannot be replaced by accident, but it can be detached with intent. */
	if (!link->xdp_prog && iface->attached && !fpmd_iface_is_held(fpmd, link->ifindex)) {
		log_warning("iface", "program gone name=%s", link->name);
		iface->attached = false;
	}
	iface->link = *link;
	log_debug("iface", "link name=%s ifindex=%u up=%d mtu=%u xdp-tx=%d", link->name,
		  link->ifindex, link->admin_up && link->carrier, link->mtu, link->xdp_tx);
	if (!strcmp(link->kind, "vrf") && link->vrf_table)
		fib_vrf(fpmd->fib, link->vrf_table, true);
	fpmd_iface_update(fpmd, iface);
}

void fpmd_link_del(void *arg, uint32_t ifindex)
{
	static const uint8_t no_mac[6];
	struct fpmd *fpmd = arg;
	struct iface *iface = iface_find(fpmd->ifaces, ifindex);

	fib_link_del(fpmd->fib, ifindex);
	map_writer_iface(fpmd->maps, ifindex, 0, no_mac);
	fpmd_kick(fpmd);
	if (!iface)
		return;
	if (!strcmp(iface->link.kind, "vrf") && iface->link.vrf_table)
		fib_vrf(fpmd->fib, iface->link.vrf_table, false);
	if (iface->attached)
		log_info("iface", "gone name=%s", iface->link.name);
	xdp_detach(fpmd->bpf_dir, ifindex); /* the pin of a dead link */
	iface_del(fpmd->ifaces, ifindex);
}

void fpmd_addr_del(void *arg, uint32_t ifindex)
{
	struct fpmd *fpmd = arg;

	fib_link_doubt(fpmd->fib, ifindex);
	fpmd_kick(fpmd);
}

void fpmd_eligible(void *arg, uint32_t ifindex, const struct eligibility *eligibility)
{
	struct fpmd *fpmd = arg;
	struct iface *iface = iface_find(fpmd->ifaces, ifindex);

	if (!iface)
		return;
	iface->eligibility = *eligibility;
	/* A fact that cannot be read yet is no judgement; one that still cannot later on is. */
	iface->judged = !(eligibility->why4 & eligibility->why6 & 1u << ELIGIBLE_UNKNOWN);
	fpmd_iface_publish(fpmd, iface);
}

void fpmd_ifaces_apply(struct fpmd *fpmd)
{
	struct iface *iface = iface_next(fpmd->ifaces, 0);

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		fpmd_iface_update(fpmd, iface);
}

void fpmd_ifaces_count(const struct fpmd *fpmd, struct fpmd_ifaces_count *ret)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);

	*ret = (struct fpmd_ifaces_count){ 0 };
	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex)) {
		ret->attached += iface->attached;
		ret->forward4 += fpmd_iface_forwards(fpmd, iface, FX_AF_INET);
		ret->forward6 += fpmd_iface_forwards(fpmd, iface, FX_AF_INET6);
	}
}

bool fpmd_ifaces_judged(const struct fpmd *fpmd)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		if (iface->attached && !iface->judged)
			return false;
	return true;
}

void fpmd_ifaces_judge(struct fpmd *fpmd)
{
	struct iface *iface = iface_next(fpmd->ifaces, 0);

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex)) {
		if (iface->judged)
			continue;
		iface->judged = true;
		fpmd_iface_publish(fpmd, iface);
	}
}

int fpmd_ifaces_check(const struct conf *conf, const char *path)
{
	const struct conf_interface *named = conf->interfaces;
	size_t i;

	for (i = 0; i < conf->ninterfaces; i++, named++) {
		if (!named->forwarding || if_nametoindex(named->name))
			continue;
		if (named->line)
			log_error("conf", "%s:%u: no such interface: \"%s\"", path, named->line,
				  named->name);
		else
			log_error("conf", "no such interface: \"%s\"", named->name);
		return -ENODEV;
	}
	return 0;
}
