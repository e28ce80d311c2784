/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading members of the daemon's JSON documents: a missing one is a default, never a crash. */
#ifndef FX_CLI_FIELD_H
#define FX_CLI_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* NULL: obj is NULL, or has no such member. The member stays obj's. */
struct json_object *field_get(struct json_object *obj, const char *key);
/* NULL also when the member is no object: what json_object_object_foreach() cannot walk. */
struct json_object *field_object(struct json_object *obj, const char *key);
/* "": missing, or not a string. Lives as long as obj. */
const char *field_str(struct json_object *obj, const char *key);
/* Of any type, as json-c prints it; "": missing. Lives as long as obj. */
const char *field_text(struct json_object *obj, const char *key);
uint64_t field_num(struct json_object *obj, const char *key); /* 0: missing */
bool field_bool(struct json_object *obj, const char *key);    /* false: missing */
/* The array's elements, 0 for what is missing or no array. */
size_t field_len(struct json_object *array);
/* Element i as text; "": null. */
const char *field_item(struct json_object *array, size_t i);

#endif
