/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/field.h"
#include "cli/ingress.h"

#define REASONS_SIZE 256

void ingress_reasons(struct json_object *family, char *buf, size_t size)
{
	struct json_object *reasons = field_get(family, "reasons");
	size_t i, n = field_len(reasons);

	buf[0] = '\0';
	for (i = 0; i < n; i++) {
		strncat(buf, i ? "," : "", size - strlen(buf) - 1);
		strncat(buf, field_item(reasons, i), size - strlen(buf) - 1);
	}
}

struct ingress ingress_count(struct json_object *interfaces, const char *family)
{
	struct ingress count = { 0 };

	if (!json_object_is_type(interfaces, json_type_object))
		return count;
	json_object_object_foreach(interfaces, name, iface)
	{
		(void)name;
		if (!field_bool(iface, "attached"))
			continue;
		count.attached++;
		count.eligible += field_bool(field_get(iface, family), "eligible");
	}
	return count;
}

/* Whether packets of the family stay with Linux here; the reasons into buf then. */
static bool ingress_is_closed(struct json_object *iface, const char *family, char *buf, size_t size)
{
	struct json_object *one = field_get(iface, family);

	if (!field_bool(iface, "attached") || field_bool(one, "eligible"))
		return false;
	ingress_reasons(one, buf, size);
	return true;
}

/* The interfaces that are closed for these very reasons, first the one named so: nothing when an
 * interface before it has them too. */
static void ingress_same(struct json_object *interfaces, const char *family, const char *first,
			 const char *reasons, bool *some, FILE *out)
{
	char other[REASONS_SIZE];
	bool begun = false;

	json_object_object_foreach(interfaces, name, iface)
	{
		if (!ingress_is_closed(iface, family, other, sizeof(other)) ||
		    strcmp(other, reasons) != 0)
			continue;
		if (!begun && strcmp(name, first) != 0)
			return;
		fprintf(out, "%s%s", begun ? ", " : *some ? "; " : "", name);
		begun = true;
		*some = true;
	}
	fprintf(out, ": %s", *reasons ? reasons : "no reason given");
}

void ingress_why(struct json_object *interfaces, const char *family, FILE *out)
{
	char reasons[REASONS_SIZE];
	bool some = false;

	if (!json_object_is_type(interfaces, json_type_object))
		return;
	json_object_object_foreach(interfaces, name, iface)
	{
		if (ingress_is_closed(iface, family, reasons, sizeof(reasons)))
			ingress_same(interfaces, family, name, reasons, &some, out);
	}
}
