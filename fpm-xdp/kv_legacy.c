/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netfilter hooks that no message tells of, looked for once a second: tables of iptables-legacy,
 * IPVS, programs of type netfilter. */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- iptables-legacy ---- */

/* Both families have the same structures, but for the size of an entry. */
static const struct legacy_family {
	const char *names;
	int family, level, info, entries;
	size_t entry;
} legacy_ip4 = { "/proc/self/net/ip_tables_names",
		 AF_INET,
		 IPPROTO_IP,
		 IPT_SO_GET_INFO,
		 IPT_SO_GET_ENTRIES,
		 sizeof(struct ipt_entry) },
  legacy_ip6 = { "/proc/self/net/ip6_tables_names",
		 AF_INET6,
		 IPPROTO_IPV6,
		 IP6T_SO_GET_INFO,
		 IP6T_SO_GET_ENTRIES,
		 sizeof(struct ip6t_entry) };

_Static_assert(sizeof(struct ipt_getinfo) == sizeof(struct ip6t_getinfo), "one code for both");
_Static_assert(sizeof(struct ipt_get_entries) == sizeof(struct ip6t_get_entries), "the same");

/* The size of a table that holds the policies of n chains, and the entry that ends it. */
static size_t legacy_idle_size(const struct legacy_family *family, unsigned int n)
{
	return n * (family->entry + sizeof(struct xt_standard_target)) + family->entry +
	       sizeof(struct xt_error_target);
}

/* Whether the n policies at the start of the table accept. */
static bool legacy_policies_accept(const struct legacy_family *family, const uint8_t *table,
				   unsigned int n)
{
	size_t at = family->entry + offsetof(struct xt_standard_target, verdict);
	int verdict;

	for (; n; n--, at += family->entry + sizeof(struct xt_standard_target)) {
		memcpy(&verdict, table + at, sizeof(verdict));
		if (verdict != -NF_ACCEPT - 1) /* as x_tables writes it */
			return false;
	}
	return true;
}

/* A table without rules or chains of its own, whose policies accept: as `iptables -L` makes it. */
static bool legacy_table_is_idle(const struct legacy_family *family, int fd, const char *name)
{
	struct ipt_getinfo info = { 0 };
	struct ipt_get_entries *table;
	socklen_t len = sizeof(info);
	unsigned int chains;
	bool idle;

	memcpy(info.name, name, strnlen(name, sizeof(info.name) - 1));
	if (getsockopt(fd, family->level, family->info, &info, &len))
		return false;
	chains = (unsigned int)__builtin_popcount(info.valid_hooks);
	if (info.num_entries != chains + 1 || info.size != legacy_idle_size(family, chains))
		return false;
	len = (socklen_t)(sizeof(*table) + info.size);
	table = calloc(1, len);
	if (!table)
		return false;
	memcpy(table->name, info.name, sizeof(table->name));
	table->size = info.size;
	idle = !getsockopt(fd, family->level, family->entries, table, &len) &&
	       legacy_policies_accept(family, (const uint8_t *)table->entrytable, chains);
	free(table);
	return idle;
}

/* Only tables that exist are asked for: asking makes a table. */
static bool legacy_tables(const struct legacy_family *family)
{
	FILE *file = fopen(family->names, "re");
	bool used = false;
	char name[XT_TABLE_MAXNAMELEN + 2];
	int fd;

	if (!file)
		return errno != ENOENT; /* it is there and cannot be read: to the safe side */
	fd = socket(family->family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	while (!used && fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		used = !legacy_table_is_idle(family, fd, name);
	}
	if (fd >= 0)
		close(fd);
	fclose(file);
	return used;
}

/* ---- IPVS ---- */

#define IPVS_HEADER_LINES 3

static bool legacy_ipvs(void)
{
	FILE *file = fopen("/proc/self/net/ip_vs", "re");
	unsigned int lines = 0;
	char line[256];

	if (!file)
		return errno != ENOENT;
	while (lines <= IPVS_HEADER_LINES && fgets(line, sizeof(line), file))
		lines++;
	fclose(file);
	return lines > IPVS_HEADER_LINES;
}

/* ---- programs ---- */

#define LINK_TYPE_NETFILTER 10 /* enum bpf_link_type of Linux 6.4 */

/* Such a link does not say which namespace it is in: any one in the system counts. */
static bool legacy_programs(void)
{
	uint32_t id = 0;

	while (!bpf_link_get_next_id(id, &id)) {
		struct bpf_link_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_link_get_fd_by_id(id);
		int err;

		if (fd < 0)
			continue;
		err = bpf_obj_get_info_by_fd(fd, &info, &len);
		close(fd);
		if (!err && info.type == LINK_TYPE_NETFILTER)
			return true;
	}
	return false;
}

void kv_legacy_look(struct kv_hooks *ret)
{
	bool both = legacy_ipvs() || legacy_programs();

	ret->ip4 = both || legacy_tables(&legacy_ip4);
	ret->ip6 = both || legacy_tables(&legacy_ip6);
}
