/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's routes, freshly asked for, against the model. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/check.h"
#include "fpm-xdp/fpmd.h"

#define CHECK_SNAPSHOT_MS 5000

/* A second model that has heard nothing but the fresh dump. */
struct check_twin {
	struct fib *fib;
	int error;
};

static void check_twin_route(void *arg, const struct rt_op *op)
{
	struct check_twin *twin = arg;
	int rc;

	if (op->verb == RT_SKIP || twin->error)
		return;
	rc = fib_route(twin->fib, FIB_KERNEL, op);
	if (rc < 0)
		twin->error = rc;
}

static void check_route(json_object *differences, const struct fib_route_view *route,
			const char *what, const char *expected, const char *found)
{
	char where[FX_PREFIX_STRLEN + 24];
	char text[FX_PREFIX_STRLEN];

	snprintf(where, sizeof(where), "table %u %s", route->table,
		 fx_prefix_str(&route->dst, text));
	check_differs(differences, what, where, expected, found);
}

static bool check_same_path(const struct fib_path_view *a, const struct fib_path_view *b)
{
	return a->ifindex == b->ifindex && fx_addr_equal(&a->gw, &b->gw);
}

/* Whether every path that can be used has its like among the others. Paths of links that are down
 * are left out: zebra and the kernel drop them at different times. */
static bool check_covers(const struct fpmd *fpmd, const struct fib_path_view *a, uint32_t na,
			 const struct fib_path_view *b, uint32_t nb)
{
	const struct iface *iface;
	uint32_t i, j;

	for (i = 0; i < na; i++) {
		iface = iface_find(fpmd->ifaces, a[i].ifindex);
		if (!iface || !iface->link.carrier || !iface->link.admin_up)
			continue;
		for (j = 0; j < nb && !check_same_path(&a[i], &b[j]); j++)
			;
		if (j == nb)
			return false;
	}
	return true;
}

static const char *check_paths_text(char *buf, size_t size, const struct fib_path_view *paths,
				    uint32_t n)
{
	char addr[FX_ADDR_STRLEN];
	size_t len = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < n && len + 80 < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%sinterface %u via %s",
					i ? ", " : "", paths[i].ifindex,
					fx_addr_str(&paths[i].gw, addr));
	return buf;
}

/* Nexthops of a route that both have. */
static void check_paths(struct fpmd *fpmd, json_object *differences,
			const struct fib_route_view *ours, const struct fib_route_view *kernel)
{
	char expected[512], found[512];

	if (ours->kind != kernel->kind || ours->kind != RT_KIND_UNICAST)
		return;
	if (check_covers(fpmd, ours->paths, ours->npaths, kernel->paths, kernel->npaths) &&
	    check_covers(fpmd, kernel->paths, kernel->npaths, ours->paths, ours->npaths))
		return;
	check_route(differences, ours, "kernel-nexthops",
		    check_paths_text(expected, sizeof(expected), kernel->paths, kernel->npaths),
		    check_paths_text(found, sizeof(found), ours->paths, ours->npaths));
}

static void check_kernel_has(struct fpmd *fpmd, json_object *differences, struct fib *twin)
{
	struct fib_route_view ours, kernel;
	uint64_t cursor = 0;

	while (fib_route_next(twin, &cursor, &kernel)) {
		if (fib_route_get(fpmd->fib, kernel.table, &kernel.dst, &ours) || !ours.in_kernel)
			check_route(differences, &kernel, "kernel-route", "present", "absent");
		else
			check_paths(fpmd, differences, &ours, &kernel);
	}
}

static void check_model_has(struct fpmd *fpmd, json_object *differences, struct fib *twin)
{
	struct fib_route_view ours, kernel;
	uint64_t cursor = 0;

	while (fib_route_next(fpmd->fib, &cursor, &ours)) {
		if (!ours.in_kernel)
			continue;
		if (fib_route_get(twin, ours.table, &ours.dst, &kernel) || !kernel.in_kernel)
			check_route(differences, &ours, "kernel-route", "absent", "present");
	}
}

int check_kernel(struct fpmd *fpmd, json_object *differences)
{
	struct check_twin twin = { .fib = fib_new(&(struct fib_limits){ 0 }) };
	int rc;

	if (!twin.fib)
		return -ENOMEM;
	rc = kernel_view_snapshot(CHECK_SNAPSHOT_MS, check_twin_route, &twin);
	if (!rc)
		rc = twin.error;
	if (!rc) {
		check_kernel_has(fpmd, differences, twin.fib);
		check_model_has(fpmd, differences, twin.fib);
	}
	fib_free(twin.fib);
	return rc;
}
