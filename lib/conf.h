/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration file, in FRR's manner (frr-xdp.conf(5)). Pure: takes the text, gives a value.
 *
 *	fpm listen ADDRESS [port N]
 *	[no] fpm offload-status
 *	xdp mode native|generic
 *	limit prefixes N
 *	interface NAME
 *	 [no] xdp forwarding
 *	exit
 *
 * "!" and "#" begin a comment line, "exit" leaves an interface, "end" the file. Indentation carries
 * no meaning.
 */
#ifndef FX_LIB_CONF_H
#define FX_LIB_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/addr.h"

#define CONF_IFNAMSIZ	  16 /* IFNAMSIZ, with the NUL */
#define CONF_FPM_PORT	  2620
#define CONF_MAX_PREFIXES (1u << 22)

struct conf_interface {
	char name[CONF_IFNAMSIZ];
	bool forwarding;   /* false: "no xdp forwarding" */
	unsigned int line; /* of the file that says so; 0: an option does */
};

struct conf {
	struct fx_addr fpm_addr; /* default 127.0.0.1 */
	uint16_t fpm_port;	 /* default 2620 */
	bool offload_status;
	bool generic;	       /* xdp mode */
	uint32_t max_prefixes; /* 1..CONF_MAX_PREFIXES */
	struct conf_interface *interfaces;
	size_t ninterfaces;
};

struct conf_error {
	unsigned int line; /* from 1 */
	char text[128];
};

void conf_init(struct conf *conf); /* the defaults */
void conf_done(struct conf *conf);

/* 0; -EINVAL with *error filled; -ENOMEM. *conf (an initialised one) is replaced whole, and only on
 * success. */
int conf_parse(const char *text, size_t len, struct conf *conf, struct conf_error *error);

/* Notes an interface, on this line of the file or (0) as the -i option does: the last word on a
 * name counts. 0, -EINVAL for what is no interface name, -ENOMEM. */
int conf_interface(struct conf *conf, const char *name, bool forwarding, unsigned int line);
void conf_forget_interfaces(struct conf *conf);
/* Whether interfaces are chosen by name; false: all that are fit, but for those switched off. */
bool conf_selects(const struct conf *conf);
/* NULL: not named. */
const struct conf_interface *conf_find(const struct conf *conf, const char *name);

/* ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT or :PORT. -EINVAL. */
int conf_parse_endpoint(const char *text, struct fx_addr *addr, uint16_t *port);
/* Decimal, whole text, lo..hi. -EINVAL. */
int conf_parse_number(const char *text, uint32_t lo, uint32_t hi, uint32_t *ret);

#endif
