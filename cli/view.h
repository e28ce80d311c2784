/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's JSON documents as text for people, in vtysh's manner. Each takes one whole document
 * and writes to out; what the document lacks shows as '-' or 0.
 */
#ifndef FX_CLI_VIEW_H
#define FX_CLI_VIEW_H

#include <stdio.h>

struct json_object;

/* The member of a document for view_summary() and view_lookup() that holds the one of `show
 * interface`: what is forwarded depends on where it comes in. They do without it. */
#define VIEW_INTERFACES "show interface"

void view_summary(struct json_object *doc, FILE *out);
void view_interface(struct json_object *doc, FILE *out);
void view_counters(struct json_object *doc, FILE *out);
void view_consistency(struct json_object *doc, FILE *out);
void view_group(struct json_object *doc, FILE *out);
void view_neighbor(struct json_object *doc, FILE *out);

/* Lists of BFD sessions. */
void view_bfd_peers(struct json_object *doc, FILE *out);
void view_bfd_brief(struct json_object *doc, FILE *out);
void view_bfd_counters(struct json_object *doc, FILE *out);
void view_bfd_summary(struct json_object *doc, FILE *out);

/* `show route` comes member by member: the legend once, then each prefix with its routes. */
void view_route_legend(FILE *out);
/* A line that says so when no interface lets packets of one or both families in; interfaces: the
 * document of `show interface`, NULL: not known. */
void view_route_ingress(struct json_object *interfaces, FILE *out);
void view_route(const char *prefix, struct json_object *routes, FILE *out);
/* `show route ADDRESS`: what becomes of a packet. */
void view_lookup(struct json_object *doc, FILE *out);

#endif
