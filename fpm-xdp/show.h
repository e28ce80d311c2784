/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers to the requests of the control socket, as JSON. Keys are stable (frr-xdp(8)).
 *
 * Short answers are made at once; tables are walked as the client takes them, each step making some
 * KiB, so that what happens in between goes on.
 */
#ifndef FX_FPM_SHOW_H
#define FX_FPM_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include "fpm-xdp/fib.h"
#include "lib/ctl.h"

struct fpmd;

/* Each: 0 and *reply filled, or negative errno and perhaps a text in *ret_error. argv: the words
 * behind "show THING". */
typedef int (*show_fn)(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		       const char **ret_error);

int show_summary(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		 const char **ret_error);
int show_route(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
	       const char **ret_error);
int show_nexthop_group(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		       const char **ret_error);
int show_neighbor(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		  const char **ret_error);
int show_interface(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		   const char **ret_error);
int show_counters(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		  const char **ret_error);
int show_consistency(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		     const char **ret_error);
int show_clear_counters(struct fpmd *fpmd, struct ctl_reply *reply);
int show_detach(struct fpmd *fpmd, struct ctl_reply *reply);

/* show_path.c: where a packet to this address would go; flow may be NULL. */
struct show_flow {
	struct fx_addr src;
	uint8_t proto;
	uint16_t sport, dport;
};

json_object *show_path(struct fpmd *fpmd, const struct fx_addr *addr, const struct show_flow *flow);

/* ---- pieces (show.c) ---- */

/* A reply that is this object, which is given away. */
int show_reply(struct ctl_reply *reply, json_object *object);
/* Appends the object's text to out and frees the object. */
void show_put(struct strbuf *out, json_object *object);

void show_str(json_object *object, const char *key, const char *value);
void show_num(json_object *object, const char *key, uint64_t value);
void show_bool(json_object *object, const char *key, bool value);
void show_addr(json_object *object, const char *key, const struct fx_addr *addr); /* "": nothing */
void show_mac(json_object *object, const char *key, const uint8_t mac[6]);
/* The interface's name; "if7" for an index that is nobody's. */
void show_ifname(const struct fpmd *fpmd, json_object *object, const char *key, uint32_t ifindex);
void show_protocol(json_object *object, const char *key, uint8_t protocol);
const char *show_source_name(enum fib_source source);
json_object *show_nexthop(const struct fpmd *fpmd, const struct fib_path_view *path);
json_object *show_nexthops(const struct fpmd *fpmd, const struct fib_path_view *paths, uint32_t n);
/* The names of eligibility reasons (bits), as an array. */
json_object *show_reasons(uint32_t why);
/* Packets and bytes that left through this adjacency. */
void show_adjstat(const struct fpmd *fpmd, json_object *object, uint32_t adj);

#endif
