/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons for `show consistency`: each finds what differs between two of the three that must
 * agree: model, maps, kernel.
 */
#ifndef FX_FPM_CHECK_H
#define FX_FPM_CHECK_H

#include <json-c/json.h>

struct fpmd;

#define CHECK_MAX 1000 /* differences that are listed */

/* Both add objects {"what","where","expected","found"} to differences. 0 or negative errno. */
int check_maps(struct fpmd *fpmd, json_object *differences); /* check_maps.c: model and maps */
int check_kernel(struct fpmd *fpmd,
		 json_object *differences); /* check_kernel.c: model and kernel */

/* (show_consistency.c) */
void check_differs(json_object *differences, const char *what, const char *where,
		   const char *expected, const char *found);

#endif
