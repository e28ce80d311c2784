/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <json-c/json.h>

#include "cli/field.h"

struct json_object *field_get(struct json_object *obj, const char *key)
{
	struct json_object *member = NULL;

	if (!json_object_is_type(obj, json_type_object))
		return NULL;
	json_object_object_get_ex(obj, key, &member);
	return member;
}

struct json_object *field_object(struct json_object *obj, const char *key)
{
	struct json_object *member = field_get(obj, key);

	return json_object_is_type(member, json_type_object) ? member : NULL;
}

const char *field_str(struct json_object *obj, const char *key)
{
	struct json_object *member = field_get(obj, key);

	return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

const char *field_text(struct json_object *obj, const char *key)
{
	const char *text = json_object_get_string(field_get(obj, key));

	return text ? text : "";
}

uint64_t field_num(struct json_object *obj, const char *key)
{
	return json_object_get_uint64(field_get(obj, key));
}

bool field_bool(struct json_object *obj, const char *key)
{
	return json_object_get_boolean(field_get(obj, key));
}

size_t field_len(struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

const char *field_item(struct json_object *array, size_t i)
{
	const char *text = json_object_get_string(json_object_array_get_idx(array, i));

	return text ? text : "";
}
