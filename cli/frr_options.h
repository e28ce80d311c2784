/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zebra's options, as words: from FRR's daemons file or a process's command line. Pure. */
#ifndef FX_CLI_FRR_OPTIONS_H
#define FX_CLI_FRR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct frr_options {
	bool dplane_fpm;       /* -M dplane_fpm_nl */
	bool old_fpm;	       /* -M fpm, the older zebra_fpm */
	bool old_fpm_protobuf; /* -M fpm:protobuf */
	bool asic_offload;     /* --asic-offload, any form */
	bool netns_vrf;	       /* -n or -w, --vrfwnetns: VRFs that are network namespaces */
	char pathspace[64];    /* -N, --pathspace; "": none */
};

/* words: without the program's own name. */
void frr_options_parse(const char *const *words, size_t n, struct frr_options *ret);

/*
 * The last `NAME="..."` of a daemons file, which the shell reads: comments and other lines are
 * skipped, quotes of both kinds taken off. false: no such line, or a value longer than buf.
 */
bool frr_options_variable(const char *text, const char *name, char *buf, size_t size);

/* As frr_options_parse(), from one string of words. */
void frr_options_parse_line(const char *line, struct frr_options *ret);

/* Whether the configuration text has a line `fpm address ...`; its words into buf (may be NULL). */
bool frr_options_fpm_address(const char *config, char *buf, size_t size);

/* Whether `fpm address ADDRESS [port N]` leads to a listener on listen ("ADDRESS:PORT", with
 * brackets for IPv6); true for what is not understood. */
bool frr_options_fpm_reaches(const char *line, const char *listen);

#endif
