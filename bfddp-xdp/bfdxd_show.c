/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the control socket. Keys are those of vtysh's `show bfd peers [counters] json` where
 * it has them, times in ms as there; ours are beside them, with their unit in the name.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/ctl.h"
#include "lib/loop.h"

static void show_str(json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

static void show_num(json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void show_bool(json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

static const char *show_reject_name(unsigned int reject)
{
	switch (reject) {
#define SHOW_CASE(name, text)                                                                      \
	case FX_BFD_REJ_##name:                                                                    \
		return text;
		FX_BFD_REJECTS(SHOW_CASE)
#undef SHOW_CASE
	}
	return "unknown";
}

static json_object *show_rejects(const __u64 *rejects)
{
	json_object *object = json_object_new_object();
	unsigned int i;

	for (i = 1; i < FX_BFD_REJ_COUNT; i++)
		if (rejects[i])
			show_num(object, show_reject_name(i), rejects[i]);
	return object;
}

/* ---- a session ---- */

static void show_identity(const struct bfdxd *d, const struct bfd_entry *entry, json_object *object)
{
	const struct bfd_session *s = &entry->session;
	const struct net_link *link = net_view_link(d->net, s->ifindex);
	char text[FX_ADDR_STRLEN];

	show_bool(object, "multihop", s->conf.flags & DP_F_MULTIHOP);
	show_str(object, "peer", fx_addr_str(&s->conf.peer, text));
	if (!fx_addr_is_zero(&s->local))
		show_str(object, "local", fx_addr_str(&s->local, text));
	if (link || s->conf.ifname[0])
		show_str(object, "interface", link ? link->name : s->conf.ifname);
	show_num(object, "id", s->local_disc);
	show_num(object, "remote-id", s->remote_disc);
}

static void show_status(const struct bfd_session *s, json_object *object)
{
	uint64_t since = s->state == BFD_STATE_UP ? s->up_since_ns : s->down_since_ns;
	uint64_t seconds = (bfdxd_now() - since) / BFDXD_NS_PER_S;

	show_bool(object, "passive-mode", s->conf.flags & DP_F_PASSIVE);
	show_str(object, "status", bfd_state_name(s->state));
	if (s->state != BFD_STATE_ADMIN_DOWN)
		show_num(object, s->state == BFD_STATE_UP ? "uptime" : "downtime", seconds);
	show_str(object, "remote-status", bfd_state_name(s->remote_state));
	show_str(object, "diagnostic", bfd_diag_name(s->local_diag));
	show_str(object, "remote-diagnostic", bfd_diag_name(s->remote_diag));
}

static void show_intervals(const struct bfd_session *s, json_object *object)
{
	show_num(object, "receive-interval", s->conf.min_rx_us / 1000);
	show_num(object, "transmit-interval", s->conf.min_tx_us / 1000);
	show_num(object, "echo-receive-interval", s->min_echo_rx_us / 1000);
	show_num(object, "echo-transmit-interval",
		 bfd_session_echo_ns(s) ? bfd_session_echo_ns(s) / BFDXD_NS_PER_MS : 0);
	show_num(object, "detect-multiplier", s->conf.mult);
	show_num(object, "remote-receive-interval", s->remote_min_rx_us / 1000);
	show_num(object, "remote-transmit-interval", s->remote_min_tx_us / 1000);
	show_num(object, "remote-echo-receive-interval", s->remote_min_echo_rx_us / 1000);
	show_num(object, "remote-detect-multiplier", s->remote_mult);
	show_num(object, "actual-transmit-interval-us", bfd_session_tx_ns(s) / 1000);
	show_num(object, "detection-time-us", bfd_session_detect_ns(s) / 1000);
}

static void show_path(const struct bfdxd *d, const struct bfd_entry *entry, json_object *object)
{
	const struct bfdxd_slot *slot = &d->slots[entry->slot];
	const struct bfdxd_iface *iface = bfdxd_iface_find(d, slot->ifindex);

	show_str(object, "path", slot->path_why ? slot->path_why : "up");
	show_str(object, "by", entry->session.kernel ? "xdp" : "socket");
	if (!entry->session.kernel && iface && iface->why[0])
		show_str(object, "by-why", iface->why);
	show_bool(object, "orphan", entry->owner == BFD_TABLE_NO_OWNER);
}

static json_object *show_senders(const struct fx_bfd_sess *map)
{
	json_object *object = json_object_new_object();

	show_num(object, "reflector", map->tx_pkts[FX_BFD_BY_REFLECTOR]);
	show_num(object, "daemon", map->tx_pkts[FX_BFD_BY_DAEMON]);
	show_num(object, "tick", map->tx_pkts[FX_BFD_BY_TICK]);
	return object;
}

/* The counts of gaps by their upper bound; empty ones are left out. */
static json_object *show_histogram(const struct fx_bfd_gaps *gaps)
{
	json_object *array = json_object_new_array(), *one;
	unsigned int i;

	for (i = 0; i < FX_BFD_GAPS; i++) {
		if (!gaps->count[i])
			continue;
		one = json_object_new_object();
		show_num(one, "below-us", (2ull << (16 + i)) / 1000);
		show_num(one, "gaps", gaps->count[i]);
		json_object_array_add(array, one);
	}
	return array;
}

static json_object *show_history(const struct bfd_session *s)
{
	uint32_t i, n = s->nchanges < BFD_HISTORY ? s->nchanges : BFD_HISTORY;
	json_object *array = json_object_new_array(), *one;
	uint64_t now = bfdxd_now();

	for (i = 0; i < n; i++) {
		const struct bfd_change *change = &s->history[i];

		one = json_object_new_object();
		show_num(one, "ago-ms", (now - change->time_ns) / BFDXD_NS_PER_MS);
		show_str(one, "from", bfd_state_name(change->from));
		show_str(one, "to", bfd_state_name(change->to));
		show_str(one, "cause", bfd_event_name(change->event));
		show_str(one, "diagnostic", bfd_diag_name(change->local_diag));
		show_str(one, "remote-diagnostic", bfd_diag_name(change->remote_diag));
		json_object_array_add(array, one);
	}
	return array;
}

static json_object *show_peer(const struct bfdxd *d, const struct bfd_entry *entry)
{
	const struct fx_bfd_sess *map = session_map_entry(d->map, entry->slot);
	json_object *object = json_object_new_object();

	show_identity(d, entry, object);
	show_status(&entry->session, object);
	show_intervals(&entry->session, object);
	show_path(d, entry, object);
	json_object_object_add(object, "sent-by", show_senders(map));
	show_num(object, "max-tx-gap-us", map->tx_gaps.max_ns / 1000);
	show_num(object, "max-rx-gap-us", map->rx_gaps.max_ns / 1000);
	json_object_object_add(object, "tx-gaps", show_histogram(&map->tx_gaps));
	json_object_object_add(object, "rx-gaps", show_histogram(&map->rx_gaps));
	json_object_object_add(object, "rejects", show_rejects(map->rejects));
	show_num(object, "flaps", entry->session.flaps);
	json_object_object_add(object, "changes", show_history(&entry->session));
	return object;
}

static json_object *show_counters(const struct bfdxd *d, const struct bfd_entry *entry)
{
	const struct fx_bfd_sess *map = session_map_entry(d->map, entry->slot);
	json_object *object = json_object_new_object();

	show_identity(d, entry, object);
	show_num(object, "control-packet-input", map->rx_pkts);
	show_num(object, "control-packet-output",
		 map->tx_pkts[FX_BFD_BY_REFLECTOR] + map->tx_pkts[FX_BFD_BY_DAEMON] +
			 map->tx_pkts[FX_BFD_BY_TICK]);
	show_num(object, "control-byte-input", map->rx_bytes);
	show_num(object, "control-byte-output", map->tx_bytes);
	show_num(object, "echo-packet-input", map->echo_rx);
	show_num(object, "echo-packet-output", map->echo_tx);
	show_num(object, "echo-packet-looped", map->echo_looped);
	show_num(object, "session-up",
		 entry->session.flaps + (entry->session.state == BFD_STATE_UP));
	show_num(object, "session-down", entry->session.flaps);
	json_object_object_add(object, "sent-by", show_senders(map));
	json_object_object_add(object, "rejects", show_rejects(map->rejects));
	return object;
}

/* ---- lists, piece by piece ---- */

struct show_list {
	const struct bfdxd *d;
	json_object *(*one)(const struct bfdxd *d, const struct bfd_entry *entry);
	uint32_t slot; /* the last that was shown */
	bool begun;
};

static enum ctl_next show_list_next(void *state, struct strbuf *out)
{
	struct show_list *list = state;
	const struct bfd_entry at = { .slot = list->slot }, *entry;
	json_object *object;

	entry = bfd_table_next(list->d->table, &at);
	if (!entry) {
		strbuf_puts(out, list->begun ? "]\n" : "[]\n");
		return CTL_DONE;
	}
	list->slot = entry->slot;
	object = list->one(list->d, entry);
	strbuf_puts(out, list->begun ? "," : "[");
	strbuf_puts(out, json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	list->begun = true;
	return CTL_MORE;
}

static int show_list(struct bfdxd *d,
		     json_object *(*one)(const struct bfdxd *d, const struct bfd_entry *entry),
		     struct ctl_reply *reply)
{
	struct show_list *list = calloc(1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list->d = d;
	list->one = one;
	*reply = (struct ctl_reply){ show_list_next, free, list };
	return 0;
}

/* ---- the whole ---- */

static enum ctl_next show_object_next(void *state, struct strbuf *out)
{
	strbuf_puts(out, json_object_to_json_string_ext(state, JSON_C_TO_STRING_PLAIN));
	strbuf_puts(out, "\n");
	return CTL_DONE;
}

static void show_object_free(void *state)
{
	json_object_put(state);
}

static int show_object(struct ctl_reply *reply, json_object *object)
{
	*reply = (struct ctl_reply){ show_object_next, show_object_free, object };
	return 0;
}

static json_object *show_bfdd(const struct bfdxd *d)
{
	json_object *object = json_object_new_object();

	show_str(object, "state", bfdxd_phase_name(d->peer.phase));
	show_num(object, "connections", d->peer.nconns);
	show_num(object, "connectionsEver", d->peer.connections);
	show_num(object, "adds", d->peer.messages[DP_MSG_ADD]);
	show_num(object, "deletes", d->peer.messages[DP_MSG_DELETE]);
	show_num(object, "counterRequests", d->peer.messages[DP_MSG_COUNTERS_REQUEST]);
	show_num(object, "refused", d->peer.refused);
	return object;
}

static json_object *show_ifaces(const struct bfdxd *d)
{
	json_object *array = json_object_new_array(), *one;
	const struct net_link *link;
	uint32_t i;

	for (i = 0; i < d->nifaces; i++) {
		link = net_view_link(d->net, d->ifaces[i].ifindex);
		one = json_object_new_object();
		show_str(one, "interface", link ? link->name : "");
		show_num(one, "sessions", d->ifaces[i].sessions);
		show_str(one, "by", d->ifaces[i].attached ? "xdp" : "socket");
		if (d->ifaces[i].why[0])
			show_str(one, "by-why", d->ifaces[i].why);
		json_object_array_add(array, one);
	}
	return array;
}

static int show_summary(struct bfdxd *d, struct ctl_reply *reply)
{
	const struct fx_bfd_meta *meta = bpfmap_entry(&d->maps->meta, 0);
	json_object *object = json_object_new_object();
	uint32_t up = 0, by_xdp = 0;
	struct bfd_entry *entry = NULL;

	while ((entry = bfd_table_next(d->table, entry))) {
		up += entry->session.state == BFD_STATE_UP;
		by_xdp += entry->session.kernel;
	}
	show_str(object, "version", PACKAGE_VERSION);
	show_num(object, "uptime", (loop_now_ms() - d->start_ms) / 1000);
	json_object_object_add(object, "bfdd", show_bfdd(d));
	show_num(object, "sessions", bfd_table_count(d->table));
	show_num(object, "up", up);
	show_num(object, "byXdp", by_xdp);
	show_num(object, "sendErrors", d->send_errors);
	show_num(object, "lostEvents", meta->lost_events);
	json_object_object_add(object, "rejects", show_rejects(meta->rejects));
	json_object_object_add(object, "interfaces", show_ifaces(d));
	return show_object(reply, object);
}

struct show_detached {
	struct bfdxd *d;
	json_object *object;
};

static enum ctl_next show_detached_next(void *state, struct strbuf *out)
{
	const struct show_detached *detached = state;

	return show_object_next(detached->object, out);
}

/* The answer is out, and the daemon has no further use. */
static void show_detached_free(void *state)
{
	struct show_detached *detached = state;

	json_object_put(detached->object);
	loop_exit(detached->d->loop, 0);
	free(detached);
}

static int show_detach(struct bfdxd *d, struct ctl_reply *reply)
{
	struct show_detached *detached = calloc(1, sizeof(*detached));
	json_object *names;
	const struct net_link *link;
	uint32_t i;

	if (!detached)
		return -ENOMEM;
	names = json_object_new_array();
	for (i = 0; i < d->nifaces; i++) {
		link = net_view_link(d->net, d->ifaces[i].ifindex);
		if (d->ifaces[i].attached && link)
			json_object_array_add(names, json_object_new_string(link->name));
	}
	bfdxd_detach(d);
	detached->d = d;
	detached->object = json_object_new_object();
	json_object_object_add(detached->object, "detached", names);
	*reply = (struct ctl_reply){ show_detached_next, show_detached_free, detached };
	return 0;
}

static int bfdxd_request(void *arg, int argc, char **argv, struct ctl_reply *reply,
			 const char **ret_error)
{
	struct bfdxd *d = arg;
	bool is_bfd = argc == 3 && !strcmp(argv[0], "show") && !strcmp(argv[1], "bfd");

	*ret_error = "unknown request";
	if (d->detached)
		return -EINVAL;
	if (is_bfd && !strcmp(argv[2], "peers"))
		return show_list(d, show_peer, reply);
	if (is_bfd && !strcmp(argv[2], "counters"))
		return show_list(d, show_counters, reply);
	if (is_bfd && !strcmp(argv[2], "summary"))
		return show_summary(d, reply);
	if (argc == 1 && !strcmp(argv[0], "detach"))
		return show_detach(d, reply);
	return -EINVAL;
}

int bfdxd_ctl_start(struct bfdxd *d)
{
	char path[DAEMON_PATH_SIZE];

	daemon_path(path, DAEMON_RUN_DIR, d->options->pathspace, "bfddp-xdp.sock");
	d->ctl = ctl_new(d->loop, path, bfdxd_request, d);
	return d->ctl ? 0 : -errno;
}
