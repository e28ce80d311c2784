/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where packets may come in for XDP to forward them, from the document of `show interface`: the
 * best of routes forwards nothing when no interface lets it. Pure.
 */
#ifndef FX_CLI_INGRESS_H
#define FX_CLI_INGRESS_H

#include <stddef.h>
#include <stdio.h>

struct json_object;

struct ingress {
	size_t attached;
	size_t eligible; /* of those */
};

/* family: "ipv4" or "ipv6", as the document has it. */
struct ingress ingress_count(struct json_object *interfaces, const char *family);
/* "eth0, eth1: netfilter; eth2: rp-filter": the attached interfaces that are not eligible. */
void ingress_why(struct json_object *interfaces, const char *family, FILE *out);
/* A family's reasons, one after the other, into buf: "netfilter,policy-rules"; "" for none. */
void ingress_reasons(struct json_object *family, char *buf, size_t size);

#endif
