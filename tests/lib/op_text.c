/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct rt_op as text. */
#include <stdarg.h>
#include <stdio.h>

#include "tests/lib/op_text.h"

struct text {
	char *buf;
	size_t size, len;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->buf + t->len, t->size - t->len, format, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
	if (t->len >= t->size)
		t->len = t->size - 1;
}

static void put_path(struct text *t, const struct rt_path *path)
{
	static const char *const encaps[] = { "none", "mpls", "srv6", "vxlan", "other" };
	char buf[FX_ADDR_STRLEN];

	put(t, " nexthop");
	if (path->gw.family)
		put(t, " via %s", fx_addr_str(&path->gw, buf));
	if (path->ifindex)
		put(t, " dev %u", path->ifindex);
	put(t, " weight %u", path->weight);
	put(t, "%s", path->flags & RT_PATH_ONLINK ? " onlink" : "");
	put(t, "%s", path->flags & RT_PATH_DEAD ? " dead" : "");
	put(t, "%s", path->flags & RT_PATH_LINKDOWN ? " linkdown" : "");
	put(t, "%s", path->flags & RT_PATH_V4LL ? " v4ll" : "");
	if (path->encap)
		put(t, " encap %s", encaps[path->encap]);
}

static void put_paths(struct text *t, const struct rt_op *op)
{
	unsigned int i;

	put(t, "%s", op->flags & RT_F_GROUP ? " group" : "");
	for (i = 0; i < op->npaths; i++) {
		if (op->flags & RT_F_GROUP)
			put(t, " %u*%u", op->paths[i].nh_id, op->paths[i].weight);
		else
			put_path(t, &op->paths[i]);
	}
}

static void put_number(struct text *t, const char *name, uint32_t value)
{
	if (value)
		put(t, " %s %u", name, value);
}

static void put_route(struct text *t, const struct rt_op *op)
{
	static const char *const kinds[] = { "unicast",	  "local",     "broadcast",   "anycast",
					     "multicast", "blackhole", "unreachable", "prohibit",
					     "throw",	  "other" };
	char buf[FX_PREFIX_STRLEN];

	put(t, "route %s %s", op->verb == RT_ROUTE_ADD ? "add" : "del",
	    fx_prefix_str(&op->dst, buf));
	if (op->src.len)
		put(t, " from %s", fx_prefix_str(&op->src, buf));
	put(t, " table %u", op->table);
	put_number(t, "vrf", op->vrf);
	put(t, " proto %u %s", op->protocol, kinds[op->kind]);
	put_number(t, "tos", op->tos);
	put_number(t, "metric", op->metric);
	put_number(t, "mtu", op->mtu);
	put_number(t, "nhid", op->nh_id);
}

const char *op_text(const struct rt_op *op, char *buf, size_t size)
{
	static const char *const skips[] = { "none",   "mpls",	 "evpn-mac", "type",
					     "family", "cloned", "srv6-sid", "multicast" };
	struct text t = { buf, size, 0 };

	buf[0] = '\0';
	switch (op->verb) {
	case RT_ROUTE_ADD:
	case RT_ROUTE_DEL:
		put_route(&t, op);
		break;
	case RT_NH_ADD:
	case RT_NH_DEL:
		put(&t, "nh %s %u proto %u", op->verb == RT_NH_ADD ? "add" : "del", op->nh_id,
		    op->protocol);
		break;
	case RT_SKIP:
		put(&t, "skip %s", skips[op->skip]);
		return buf;
	}
	put(&t, "%s", op->flags & RT_F_REPLACE ? " replace" : "");
	put(&t, "%s", op->flags & RT_F_APPEND ? " append" : "");
	put(&t, "%s", op->flags & RT_F_CONNECTED ? " connected" : "");
	put(&t, "%s", op->flags & RT_F_BLACKHOLE ? " blackhole" : "");
	put(&t, "%s", op->flags & RT_F_RESILIENT ? " resilient" : "");
	put(&t, "%s", op->flags & RT_F_FDB ? " fdb" : "");
	put(&t, "%s", op->flags & RT_F_EXPIRES ? " expires" : "");
	put_paths(&t, op);
	return buf;
}
