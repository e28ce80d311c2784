/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pieces that answers are made of. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"

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

int show_reply(struct ctl_reply *reply, json_object *object)
{
	*reply = (struct ctl_reply){ show_object_next, show_object_free, object };
	return 0;
}

void show_put(struct strbuf *out, json_object *object)
{
	strbuf_puts(out, json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

void show_str(json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

void show_num(json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void show_bool(json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void show_addr(json_object *object, const char *key, const struct fx_addr *addr)
{
	char text[FX_ADDR_STRLEN];

	if (addr->family)
		show_str(object, key, fx_addr_str(addr, text));
}

void show_mac(json_object *object, const char *key, const uint8_t mac[6])
{
	char text[18];

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	show_str(object, key, text);
}

void show_ifname(const struct fpmd *fpmd, json_object *object, const char *key, uint32_t ifindex)
{
	const struct iface *iface = iface_find(fpmd->ifaces, ifindex);
	char text[16];

	snprintf(text, sizeof(text), "if%u", ifindex);
	show_str(object, key, iface ? iface->link.name : text);
}

void show_protocol(json_object *object, const char *key, uint8_t protocol)
{
	const char *name = fib_protocol_name(protocol);
	char text[8];

	snprintf(text, sizeof(text), "%u", protocol);
	show_str(object, key, name ? name : text);
}

const char *show_source_name(enum fib_source source)
{
	return source == FIB_FPM ? "fpm" : "kernel";
}

json_object *show_nexthop(const struct fpmd *fpmd, const struct fib_path_view *path)
{
	json_object *object = json_object_new_object();

	if (path->ifindex)
		show_ifname(fpmd, object, "interface", path->ifindex);
	show_addr(object, "gateway", &path->gw);
	if (path->has_mac)
		show_mac(object, "mac", path->mac);
	show_num(object, "weight", path->weight);
	show_bool(object, "active", path->active);
	return object;
}

json_object *show_nexthops(const struct fpmd *fpmd, const struct fib_path_view *paths, uint32_t n)
{
	json_object *array = json_object_new_array();
	uint32_t i;

	for (i = 0; i < n; i++)
		json_object_array_add(array, show_nexthop(fpmd, &paths[i]));
	return array;
}

json_object *show_reasons(uint32_t why)
{
	json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < ELIGIBLE_REASONS; i++)
		if (why & 1u << i)
			json_object_array_add(array, json_object_new_string(eligibility_reason_name(
							     (enum eligibility_reason)i)));
	return array;
}

void show_adjstat(const struct fpmd *fpmd, json_object *object, uint32_t adj)
{
	uint64_t words[sizeof(struct fx_adjstat) / sizeof(uint64_t)] = { 0 };

	if (adj)
		bpfmap_percpu_sum(&fpmd->maps->adjstats, adj, words);
	show_num(object, "packets", words[0]);
	show_num(object, "bytes", words[1]);
}
