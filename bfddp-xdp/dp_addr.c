/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bfddp-xdp/dp_addr.h"

#include <errno.h>
#include <string.h>

#include "bfddp-xdp/bfddp_codec.h"
#include "lib/conf.h"

static int dp_addr_unix(const char *text, struct dp_addr *addr, const char **ret_why)
{
	if (*text != '/') {
		*ret_why = "an absolute path must follow";
		return -EINVAL;
	}
	if (strlen(text) >= sizeof(addr->path)) {
		*ret_why = "the path is longer than 63 bytes, which bfdd would cut";
		return -EINVAL;
	}
	strcpy(addr->path, text);
	addr->is_unix = true;
	return 0;
}

static int dp_addr_inet(const char *text, uint8_t family, struct dp_addr *addr,
			const char **ret_why)
{
	addr->addr.family = family;
	addr->port = BFDDP_PORT;
	/* an IPv6 address stands in brackets, as bfdd wants it */
	if (*text == ':' || (family == FX_AF_INET6) != (*text == '[') ||
	    conf_parse_endpoint(text, &addr->addr, &addr->port) < 0 ||
	    addr->addr.family != family) {
		*ret_why = family == FX_AF_INET ? "ADDRESS[:PORT] must follow"
						: "[ADDRESS][:PORT] must follow";
		return -EINVAL;
	}
	return 0;
}

int dp_addr_parse(const char *text, struct dp_addr *ret, const char **ret_why)
{
	static const struct {
		const char *type;
		uint8_t family; /* 0: unix */
	} types[] = { { "unix", 0 }, { "ipv4", FX_AF_INET }, { "ipv6", FX_AF_INET6 } };
	struct dp_addr addr = { 0 };
	size_t i;
	int rc;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *rest = text + strlen(types[i].type);

		if (strncmp(text, types[i].type, strlen(types[i].type)) != 0)
			continue;
		addr.listen = *rest == 'c';
		rest += addr.listen;
		if (*rest++ != ':')
			continue;
		rc = types[i].family ? dp_addr_inet(rest, types[i].family, &addr, ret_why)
				     : dp_addr_unix(rest, &addr, ret_why);
		if (!rc)
			*ret = addr;
		return rc;
	}
	*ret_why = "the type must be unix, unixc, ipv4, ipv4c, ipv6 or ipv6c";
	return -EINVAL;
}
