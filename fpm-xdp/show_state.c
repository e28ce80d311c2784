/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The short answers: summary, interfaces, counters; what clears and detaches. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"
#include "lib/ctl.h"
#include "lib/loop.h"
#include "lib/verdict.h"
#include "lib/xdp_attach.h"

/* ---- summary ---- */

static const char *const show_skip_names[RT_SKIP_COUNT] = {
	[RT_SKIP_NONE] = "none",	 [RT_SKIP_MPLS] = "mpls",
	[RT_SKIP_EVPN_MAC] = "evpn-mac", [RT_SKIP_TYPE] = "message-type",
	[RT_SKIP_FAMILY] = "family",	 [RT_SKIP_CLONED] = "cloned",
	[RT_SKIP_SRV6_SID] = "srv6-sid", [RT_SKIP_MULTICAST] = "multicast",
};

static json_object *show_ignored(const struct fpmd_counters *counters)
{
	json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 0; i < RT_SKIP_COUNT; i++)
		if (counters->skips[i])
			show_num(object, show_skip_names[i], counters->skips[i]);
	for (i = 0; i < RTNL_REJ_COUNT; i++)
		if (counters->rtnl_rejects[i])
			show_num(object, rtnl_reject_name((enum rtnl_reject)i),
				 counters->rtnl_rejects[i]);
	for (i = 0; i < PB_REJ_COUNT; i++)
		if (counters->pb_rejects[i])
			show_num(object, pb_reject_name((enum pb_reject)i),
				 counters->pb_rejects[i]);
	return object;
}

static const char *show_module(const struct fpmd *fpmd)
{
	if (fpmd->peer.type == FPM_TYPE_PROTOBUF)
		return "protobuf";
	if (fpmd->peer.type != FPM_TYPE_NETLINK || !fpmd->peer.origin.settled)
		return "unknown";
	return fpmd->peer.origin.origin == RTNL_FPM_OLD ? "zebra_fpm" : "dplane_fpm_nl";
}

static json_object *show_fpm(const struct fpmd *fpmd)
{
	json_object *object = json_object_new_object();
	json_object *rejects = json_object_new_object();
	struct fpm_conn_stats stats;
	unsigned int i;

	fpm_conn_stats(fpmd->conn, &stats);
	show_bool(object, "connected", stats.connected);
	show_str(object, "peer", stats.connected ? stats.peer : "");
	show_str(object, "listen", stats.listen);
	show_str(object, "module", show_module(fpmd));
	show_bool(object, "kernelFirst", fpmd->kernel_first);
	show_bool(object, "replayed", stats.connected && fpmd->peer.swept);
	show_num(object, "connections", stats.connections);
	show_num(object, "frames", stats.frames);
	show_num(object, "messages", fpmd->counters.messages);
	show_num(object, "bytes", stats.bytes);
	for (i = 1; i < FPM_REJ_COUNT; i++)
		if (stats.rejects[i])
			show_num(rejects, fpm_reject_name((enum fpm_reject)i), stats.rejects[i]);
	json_object_object_add(object, "rejects", rejects);
	json_object_object_add(object, "ignored", show_ignored(&fpmd->counters));
	return object;
}

static json_object *show_kernel(const struct fpmd *fpmd)
{
	json_object *object = json_object_new_object();
	struct kernel_view_stats stats;

	kernel_view_stats(fpmd->view, &stats);
	show_bool(object, "synced", stats.synced);
	show_num(object, "messages", stats.messages);
	show_num(object, "overruns", stats.overruns);
	show_num(object, "resyncs", stats.resyncs);
	show_num(object, "errors", stats.errors);
	return object;
}

static json_object *show_routes(const struct fpmd *fpmd, const struct fib_counts *counts)
{
	json_object *object = json_object_new_object();

	show_num(object, "ipv4", counts->routes4);
	show_num(object, "ipv6", counts->routes6);
	show_num(object, "offloaded", counts->states[FIB_ST_OFFLOADED]);
	show_num(object, "pending", counts->states[FIB_ST_PENDING]);
	show_num(object, "trapped", counts->states[FIB_ST_TRAPPED]);
	show_num(object, "failed", counts->states[FIB_ST_FAILED]);
	show_num(object, "refused", counts->refused);
	show_num(object, "programmed", counts->programmed4 + counts->programmed6);
	show_num(object, "fpm", counts->fpm);
	show_num(object, "kernel", counts->kernel);
	show_num(object, "limit", fpmd->conf.max_prefixes);
	return object;
}

static json_object *show_forwarding(const struct fpmd_ifaces_count *count)
{
	json_object *object = json_object_new_object();

	show_num(object, "ipv4", count->forward4);
	show_num(object, "ipv6", count->forward6);
	return object;
}

int show_summary(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		 const char **ret_error)
{
	json_object *object = json_object_new_object();
	struct fpmd_ifaces_count ifaces;
	struct fib_counts counts;

	fib_counts(fpmd->fib, &counts);
	fpmd_ifaces_count(fpmd, &ifaces);
	show_str(object, "version", PACKAGE_VERSION);
	show_str(object, "pathspace", fpmd->options->pathspace ? fpmd->options->pathspace : "");
	show_num(object, "pid", (uint64_t)getpid());
	show_num(object, "uptime", (loop_now_ms() - fpmd->start_ms) / 1000);
	show_num(object, "abi", FX_ABI_VERSION);
	show_bool(object, "ready", fpmd->ready);
	show_bool(object, "adopting", fpmd->adopting);
	json_object_object_add(object, "fpm", show_fpm(fpmd));
	json_object_object_add(object, "kernel", show_kernel(fpmd));
	json_object_object_add(object, "routes", show_routes(fpmd, &counts));
	show_num(object, "nexthopGroups", counts.groups);
	show_num(object, "adjacencies", counts.adjs);
	show_num(object, "neighbors", counts.neighs);
	show_num(object, "interfaces", ifaces.attached);
	json_object_object_add(object, "forwardingInterfaces", show_forwarding(&ifaces));
	show_bool(object, "offloadStatus", fpmd->conf.offload_status);
	return show_reply(reply, object);
}

/* ---- interfaces ---- */

static json_object *show_eligibility(uint32_t why)
{
	json_object *object = json_object_new_object();

	show_bool(object, "eligible", !why);
	json_object_object_add(object, "reasons", show_reasons(why));
	return object;
}

static json_object *show_one_interface(const struct fpmd *fpmd, const struct iface *iface)
{
	const struct kv_link *link = &iface->link;
	json_object *object = json_object_new_object();
	struct xdp_state state = { 0 };

	/* What is on the interface, not what we think is. */
	if (xdp_state(fpmd->bpf_dir, link->ifindex, &state) < 0)
		state.mode = XDP_MODE_NONE;
	show_num(object, "ifindex", link->ifindex);
	show_mac(object, "mac", link->mac);
	show_num(object, "mtu", link->mtu);
	show_bool(object, "up", link->admin_up && link->carrier);
	show_bool(object, "wanted", iface->wanted);
	show_bool(object, "named", conf_find(&fpmd->conf, link->name));
	show_bool(object, "attached", iface->attached && state.ours);
	show_str(object, "mode", xdp_mode_name(state.mode));
	if (iface->why[0])
		show_str(object, "error", iface->why);
	if (state.prog_id && !state.ours)
		show_str(object, "foreignProgram", state.prog_name);
	show_bool(object, "xdpTransmit", link->xdp_tx);
	show_bool(object, "scatterGather", link->xdp_sg);
	show_num(object, "vrf", link->vrf_table ? link->vrf_table : FX_VRF_DEFAULT);
	json_object_object_add(object, "ipv4",
			       show_eligibility(fpmd_iface_why(fpmd, iface, FX_AF_INET)));
	json_object_object_add(object, "ipv6",
			       show_eligibility(fpmd_iface_why(fpmd, iface, FX_AF_INET6)));
	return object;
}

int show_interface(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		   const char **ret_error)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	json_object *object = json_object_new_object();

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		json_object_object_add(object, iface->link.name, show_one_interface(fpmd, iface));
	return show_reply(reply, object);
}

/* ---- counters ---- */

static json_object *show_one_counters(const struct fpmd *fpmd, const struct iface *iface)
{
	json_object *passed = json_object_new_object();
	json_object *dropped = json_object_new_object();
	json_object *object = json_object_new_object();
	uint64_t packets[FX_V_SLOTS] = { 0 };
	uint32_t i;

	bpfmap_percpu_sum(&fpmd->maps->ifstats, iface->slot, packets);
	for (i = 0; i < FX_V_COUNT; i++) {
		if (i == FX_V_FORWARDED)
			show_num(object, "forwarded", packets[i]);
		else if (packets[i])
			show_num(verdict_kind(i) == VERDICT_DROPPED ? dropped : passed,
				 verdict_name(i), packets[i]);
	}
	json_object_object_add(object, "passed", passed);
	json_object_object_add(object, "dropped", dropped);
	return object;
}

int show_counters(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		  const char **ret_error)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	json_object *interfaces = json_object_new_object();
	json_object *object = json_object_new_object();

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		if (iface->slot)
			json_object_object_add(interfaces, iface->link.name,
					       show_one_counters(fpmd, iface));
	json_object_object_add(object, "interfaces", interfaces);
	return show_reply(reply, object);
}

int show_clear_counters(struct fpmd *fpmd, struct ctl_reply *reply)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	json_object *object = json_object_new_object();
	struct fib_adj_view adj;
	uint64_t cursor = 0;

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		if (iface->slot)
			bpfmap_percpu_zero(&fpmd->maps->ifstats, iface->slot);
	while (fib_adj_next(fpmd->fib, &cursor, &adj))
		bpfmap_percpu_zero(&fpmd->maps->adjstats, adj.id);
	show_bool(object, "cleared", true);
	return show_reply(reply, object);
}

/* ---- detach ---- */

struct show_detached {
	struct fpmd *fpmd;
	json_object *object;
};

static enum ctl_next show_detached_next(void *state, struct strbuf *out)
{
	struct show_detached *detached = state;

	show_put(out, detached->object);
	detached->object = NULL;
	strbuf_puts(out, "\n");
	return CTL_DONE;
}

/* The answer is out (or its client gone): the daemon has nothing left to do. */
static void show_detached_free(void *state)
{
	struct show_detached *detached = state;

	json_object_put(detached->object);
	loop_exit(detached->fpmd->loop, 0);
	free(detached);
}

int show_detach(struct fpmd *fpmd, struct ctl_reply *reply)
{
	struct show_detached *detached = calloc(1, sizeof(*detached));
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	json_object *names = json_object_new_array();

	if (!detached)
		return -ENOMEM;
	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex))
		if (iface->attached)
			json_object_array_add(names, json_object_new_string(iface->link.name));
	fpmd_detach(fpmd);
	detached->fpmd = fpmd;
	detached->object = json_object_new_object();
	json_object_object_add(detached->object, "detached", names);
	*reply = (struct ctl_reply){ show_detached_next, show_detached_free, detached };
	return 0;
}
