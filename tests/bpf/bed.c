// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/bpf/bed.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/xdp_fwd.skel.h"
#include "bpf/xdp_root.skel.h"
#include "lib/addr.h"

struct bed {
	struct xdp_fwd *fwd;
	struct xdp_root *root;
	struct fx_meta *meta;
	uint32_t ports[2];
	int ncpus;
	struct fx_ifstat *ifstat;   /* one per CPU, scratch */
	struct fx_adjstat *adjstat; /* the same */
};

static const char *const bed_verdicts[] = {
#define NAME(name, text) text,
	FX_VERDICTS(NAME, NAME, NAME)
#undef NAME
};

const char *bed_verdict_name(uint32_t verdict)
{
	return verdict < FX_V_COUNT ? bed_verdicts[verdict] : "none or several";
}

static void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(err == -EPERM || err == -EACCES ? 77 : 1);
}

static void update(const struct bpf_map *map, const void *key, const void *value)
{
	int err = bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY);

	if (err)
		die(bpf_map__name(map), err);
}

int bed_fd_root(const struct bed *bed)
{
	return bpf_program__fd(bed->root->progs.fx_root);
}

int bed_fd_fwd(const struct bed *bed)
{
	return bpf_program__fd(bed->fwd->progs.fx_fwd);
}

uint32_t bed_port(const struct bed *bed, unsigned int n)
{
	return bed->ports[n];
}

struct fx_meta *bed_meta(struct bed *bed)
{
	return bed->meta;
}

void bed_slot(struct bed *bed, uint32_t slot, int prog_fd)
{
	if (prog_fd < 0)
		bpf_map_delete_elem(bpf_map__fd(bed->fwd->maps.fx_slots), &slot);
	else
		update(bed->fwd->maps.fx_slots, &slot, &prog_fd);
}

void bed_iface_vrf(struct bed *bed, uint32_t ifindex, uint32_t flags, uint32_t vrf)
{
	struct fx_iface iface = { .word0 = fx_iface_word0(flags, BED_SLOT, vrf) };

	memcpy(&iface.mac, frame_router_mac, 6);
	update(bed->fwd->maps.fx_ifaces, &ifindex, &iface);
}

void bed_iface(struct bed *bed, uint32_t ifindex, uint32_t flags)
{
	bed_iface_vrf(bed, ifindex, flags, FX_VRF_DEFAULT);
}

static void parse_prefix(const char *text, struct fx_prefix *ret)
{
	if (fx_prefix_parse(text, ret))
		die(text, -EINVAL);
}

void bed_route_vrf(struct bed *bed, uint32_t vrf, const char *prefix, uint32_t gid)
{
	struct fx_prefix p;
	struct fx_lpm4_key key4 = { .vrf = vrf };
	struct fx_lpm6_key key6 = { .vrf = vrf };

	parse_prefix(prefix, &p);
	if (p.family == FX_AF_INET) {
		key4.prefixlen = 32 + p.len;
		memcpy(&key4.addr, p.bytes, 4);
		update(bed->fwd->maps.fx_lpm4, &key4, &gid);
		return;
	}
	key6.prefixlen = 32 + p.len;
	memcpy(key6.addr, p.bytes, 16);
	update(bed->fwd->maps.fx_lpm6, &key6, &gid);
}

void bed_route(struct bed *bed, const char *prefix, uint32_t gid)
{
	bed_route_vrf(bed, FX_VRF_DEFAULT, prefix, gid);
}

void bed_route_del(struct bed *bed, const char *prefix)
{
	struct fx_prefix p;
	struct fx_lpm4_key key4 = { .vrf = FX_VRF_DEFAULT };
	struct fx_lpm6_key key6 = { .vrf = FX_VRF_DEFAULT };

	parse_prefix(prefix, &p);
	key4.prefixlen = key6.prefixlen = 32 + p.len;
	memcpy(&key4.addr, p.bytes, 4);
	memcpy(key6.addr, p.bytes, 16);
	if (p.family == FX_AF_INET)
		bpf_map_delete_elem(bpf_map__fd(bed->fwd->maps.fx_lpm4), &key4);
	else
		bpf_map_delete_elem(bpf_map__fd(bed->fwd->maps.fx_lpm6), &key6);
}

void bed_group(struct bed *bed, uint32_t gid, uint64_t word)
{
	update(bed->fwd->maps.fx_groups, &gid, &word);
}

void bed_bucket(struct bed *bed, uint32_t i, uint32_t adj)
{
	update(bed->fwd->maps.fx_buckets, &i, &adj);
}

void bed_macs(uint32_t id, uint8_t dst[6], uint8_t src[6])
{
	uint8_t low = id & 0xff, high = id >> 8 & 0xff;
	uint8_t d[6] = { 0x02, 0xd0, 0xd1, 0xd2, high, low };
	uint8_t s[6] = { 0x02, 0x50, 0x51, 0x52, high, low };

	memcpy(dst, d, 6);
	memcpy(src, s, 6);
}

void bed_adj(struct bed *bed, uint32_t id, uint32_t kind, uint32_t flags, uint32_t verdict,
	     uint32_t ifindex, uint16_t mtu)
{
	struct fx_adj adj = { .word0 = fx_adj_word0(kind, flags, verdict, ifindex) };

	bed_macs(id, (uint8_t *)&adj.dst, (uint8_t *)&adj.src);
	memcpy((uint8_t *)&adj.dst + 6, &mtu, sizeof(mtu));
	update(bed->fwd->maps.fx_adjs, &id, &adj);
}

void bed_neigh(struct bed *bed, uint32_t ifindex, const char *addr, uint32_t adj)
{
	struct fx_neigh4_key key4 = { .ifindex = ifindex };
	struct fx_neigh6_key key6 = { .ifindex = ifindex };

	if (inet_pton(AF_INET, addr, &key4.addr) == 1) {
		update(bed->fwd->maps.fx_neigh4, &key4, &adj);
		return;
	}
	inet_pton(AF_INET6, addr, key6.addr);
	update(bed->fwd->maps.fx_neigh6, &key6, &adj);
}

void bed_own4(struct bed *bed, const char *addr)
{
	struct in_addr in;
	uint32_t one = 1, slot;

	inet_pton(AF_INET, addr, &in);
	slot = fx_own4_slot(ntohl(in.s_addr));
	update(bed->fwd->maps.fx_own4_hint, &slot, &one);
	update(bed->fwd->maps.fx_own4, &in.s_addr, &one);
}

/* Destinations 10.0.N.0/24 and 2001:db8:N::/48 lead to adjacency N. */
static void fill_adjs(struct bed *bed)
{
	uint32_t id, a = bed->ports[0], b = bed->ports[1];
	uint32_t tx = FX_ADJ_F_TX, sg = FX_ADJ_F_TX | FX_ADJ_F_SG;
	char prefix[64];

	bed_adj(bed, BED_ADJ_PLAIN, FX_ADJ_FORWARD, tx, 0, a, 1500);
	bed_adj(bed, BED_ADJ_JUMBO, FX_ADJ_FORWARD, sg, 0, b, 9000);
	bed_adj(bed, BED_ADJ_NO_SG, FX_ADJ_FORWARD, tx, 0, b, 9000);
	bed_adj(bed, BED_ADJ_NO_TX, FX_ADJ_FORWARD, 0, 0, a, 1500);
	bed_adj(bed, BED_ADJ_BACK, FX_ADJ_FORWARD, tx, 0, BED_IN, 1500);
	bed_adj(bed, BED_ADJ_GONE, FX_ADJ_FORWARD, tx, 0, BED_GHOST, 1500);
	bed_adj(bed, BED_ADJ_DOWN, FX_ADJ_PASS, 0, FX_V_LINK_DOWN, a, 1500);
	bed_adj(bed, BED_ADJ_GLEAN, FX_ADJ_GLEAN, tx, 0, a, 1500);
	bed_adj(bed, BED_ADJ_MIN_MTU, FX_ADJ_FORWARD, tx, 0, a, 128);
	for (id = BED_ADJ_PLAIN; id < BED_ADJ_FREE; id++) {
		bed_group(bed, FX_GID_FIRST + id, fx_group_word(FX_GROUP_ADJ, 0, id));
		snprintf(prefix, sizeof(prefix), "10.0.%u.0/24", id);
		bed_route(bed, prefix, FX_GID_FIRST + id);
		snprintf(prefix, sizeof(prefix), "2001:db8:%u::/48", id);
		bed_route(bed, prefix, FX_GID_FIRST + id);
	}
}

static void fill(struct bed *bed)
{
	static const uint32_t pass[][2] = {
		{ FX_GID_LOCAL, FX_V_LOCAL },
		{ FX_GID_NOT_UNICAST, FX_V_NOT_UNICAST },
		{ FX_GID_UNREACHABLE, FX_V_UNREACHABLE },
		{ FX_GID_TRAPPED, FX_V_TRAPPED },
		{ FX_GID_PENDING, FX_V_PENDING },
		{ FX_GID_NO_ROUTE, FX_V_NO_ROUTE },
	};
	size_t i;

	for (i = 0; i < sizeof(pass) / sizeof(pass[0]); i++)
		bed_group(bed, pass[i][0], fx_group_word(FX_GROUP_PASS, 0, pass[i][1]));
	bed_group(bed, FX_GID_BLACKHOLE, fx_group_word(FX_GROUP_DROP, 0, FX_V_BLACKHOLE));
	bed_iface(bed, BED_IN, FX_IF_ATTACHED | FX_IF_FWD4 | FX_IF_FWD6);
	for (i = 0; i < 2; i++)
		update(bed->fwd->maps.fx_ports, &bed->ports[i], &bed->ports[i]);
	fill_adjs(bed);
}

static void load(struct bed *bed)
{
	int err;

	bed->fwd = xdp_fwd__open();
	bed->root = xdp_root__open();
	if (!bed->fwd || !bed->root)
		die("cannot open the BPF objects", -errno);
	err = xdp_fwd__load(bed->fwd);
	if (err)
		die("cannot load xdp_fwd", err);
	bpf_map__reuse_fd(bed->root->maps.fx_slots, bpf_map__fd(bed->fwd->maps.fx_slots));
	bpf_map__reuse_fd(bed->root->maps.fx_ifaces, bpf_map__fd(bed->fwd->maps.fx_ifaces));
	bpf_map__reuse_fd(bed->root->maps.fx_ifstats, bpf_map__fd(bed->fwd->maps.fx_ifstats));
	err = xdp_root__load(bed->root);
	if (err)
		die("cannot load xdp_root", err);
	bed->meta = mmap(NULL, sizeof(*bed->meta), PROT_READ | PROT_WRITE, MAP_SHARED,
			 bpf_map__fd(bed->fwd->maps.fx_meta), 0);
	if (bed->meta == MAP_FAILED)
		die("cannot map fx_meta", -errno);
	bed->meta->abi = FX_ABI_VERSION;
	bed->meta->hash_seed = 0x12345678;
}

struct bed *bed_new(void)
{
	struct bed *bed = calloc(1, sizeof(*bed));

	if (!bed)
		die("calloc", -ENOMEM);
	if (geteuid() != 0 || unshare(CLONE_NEWNET)) {
		fprintf(stderr, "skipped: loading BPF programs needs root\n");
		exit(77);
	}
	if (system("ip link add fxp0 type veth peer name fxp1"))
		die("ip link add", -EINVAL);
	bed->ports[0] = if_nametoindex("fxp0");
	bed->ports[1] = if_nametoindex("fxp1");
	bed->ncpus = libbpf_num_possible_cpus();
	bed->ifstat = calloc((size_t)bed->ncpus, sizeof(*bed->ifstat));
	bed->adjstat = calloc((size_t)bed->ncpus, sizeof(*bed->adjstat));
	if (!bed->ifstat || !bed->adjstat)
		die("calloc", -ENOMEM);
	load(bed);
	fill(bed);
	return bed;
}

void bed_free(struct bed *bed)
{
	if (!bed)
		return;
	munmap(bed->meta, sizeof(*bed->meta));
	xdp_root__destroy(bed->root);
	xdp_fwd__destroy(bed->fwd);
	free(bed->ifstat);
	free(bed->adjstat);
	free(bed);
}

static void read_ifstat(struct bed *bed, struct fx_ifstat *ret)
{
	uint32_t slot = BED_SLOT;
	int cpu, v;

	memset(ret, 0, sizeof(*ret));
	bpf_map_lookup_elem(bpf_map__fd(bed->fwd->maps.fx_ifstats), &slot, bed->ifstat);
	for (cpu = 0; cpu < bed->ncpus; cpu++)
		for (v = 0; v < (int)FX_V_SLOTS; v++)
			ret->packets[v] += bed->ifstat[cpu].packets[v];
}

static void read_adjstat(struct bed *bed, uint32_t id, struct fx_adjstat *ret)
{
	int cpu;

	memset(ret, 0, sizeof(*ret));
	bpf_map_lookup_elem(bpf_map__fd(bed->fwd->maps.fx_adjstats), &id, bed->adjstat);
	for (cpu = 0; cpu < bed->ncpus; cpu++) {
		ret->packets += bed->adjstat[cpu].packets;
		ret->bytes += bed->adjstat[cpu].bytes;
	}
}

/* Every adjacency that a test may use, before and after. */
#define WATCHED 160u

static void find_moved_adj(struct bed *bed, const struct fx_adjstat *before, struct bed_result *ret)
{
	struct fx_adjstat now;
	uint32_t id;

	for (id = 0; id < WATCHED; id++) {
		read_adjstat(bed, id, &now);
		if (now.packets == before[id].packets)
			continue;
		ret->adj = id;
		ret->adj_packets += now.packets - before[id].packets;
		ret->adj_bytes += now.bytes - before[id].bytes;
	}
}

static void find_moved_verdict(struct bed *bed, const struct fx_ifstat *before,
			       struct bed_result *ret)
{
	struct fx_ifstat now;
	uint32_t v;

	ret->verdict = FX_V_COUNT;
	read_ifstat(bed, &now);
	for (v = 0; v < FX_V_SLOTS; v++) {
		if (now.packets[v] == before->packets[v])
			continue;
		if (ret->verdict != FX_V_COUNT || now.packets[v] != before->packets[v] + 1)
			ret->verdict = FX_V_SLOTS;
		else
			ret->verdict = v;
	}
}

static void run(int prog_fd, const struct frame *in, struct bed_result *ret)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->bytes,
		    .data_size_in = (uint32_t)in->len, .data_out = ret->out.bytes,
		    .data_size_out = sizeof(ret->out.bytes), .repeat = 1);

	assert_int_equal(bpf_prog_test_run_opts(prog_fd, &opts), 0);
	ret->action = (int)opts.retval;
	ret->out.len = opts.data_size_out;
}

void bed_run_quickly(const struct bed *bed, const struct frame *in, struct bed_result *ret)
{
	run(bed_fd_fwd(bed), in, ret);
}

void bed_run(struct bed *bed, int prog_fd, const struct frame *in, struct bed_result *ret)
{
	struct fx_adjstat adjs[WATCHED];
	struct fx_ifstat ifs;
	uint32_t id;

	memset(ret, 0, sizeof(*ret));
	read_ifstat(bed, &ifs);
	for (id = 0; id < WATCHED; id++)
		read_adjstat(bed, id, &adjs[id]);
	run(prog_fd, in, ret);
	find_moved_verdict(bed, &ifs, ret);
	find_moved_adj(bed, adjs, ret);
}

static int action_of(uint32_t verdict)
{
	if (verdict == FX_V_FORWARDED)
		return XDP_REDIRECT;
	return verdict == FX_V_BLACKHOLE ? XDP_DROP : XDP_PASS;
}

void bed_expect(struct bed *bed, const struct frame *in, uint32_t verdict, uint32_t adj)
{
	static struct bed_result got; /* large */
	static struct frame want;
	uint8_t dst[6], src[6];

	bed_run(bed, bed_fd_fwd(bed), in, &got);
	if (got.verdict != verdict)
		fail_msg("counted as %s, not as %s", bed_verdict_name(got.verdict),
			 bed_verdict_name(verdict));
	assert_int_equal(got.action, action_of(verdict));
	want = *in;
	if (verdict == FX_V_FORWARDED) {
		bed_macs(adj, dst, src);
		frame_forwarded(&want, in, dst, src);
		assert_int_equal(got.adj, adj);
		assert_int_equal(got.adj_packets, 1);
		assert_int_equal(got.adj_bytes, want.len);
	} else {
		assert_int_equal(got.adj_packets, 0);
	}
	assert_int_equal(got.out.len, want.len);
	assert_memory_equal(got.out.bytes, want.bytes, want.len);
}

static struct bed *row_bed; /* cmocka's initial_state has room for the row alone */

static void test_row(void **state)
{
	static struct frame frame;
	const struct bed_row *row = *state;

	frame_build(&frame, &row->spec);
	if (row->edit)
		row->edit(&frame);
	bed_expect(row_bed, &frame, row->verdict, row->adj);
}

int bed_main(struct bed *bed, const struct bed_row *rows, size_t nrows,
	     const struct CMUnitTest *others, size_t nothers)
{
	size_t i, n = nrows + nothers;
	struct CMUnitTest *tests = calloc(n, sizeof(*tests));
	int failed;

	if (!tests)
		die("calloc", -ENOMEM);
	row_bed = bed;
	for (i = 0; i < nrows; i++) {
		tests[i].name = rows[i].what;
		tests[i].test_func = test_row;
		tests[i].initial_state = (void *)(uintptr_t)&rows[i];
	}
	for (i = 0; i < nothers; i++) {
		tests[nrows + i] = others[i];
		tests[nrows + i].initial_state = bed;
	}
	failed = _cmocka_run_group_tests("bpf", tests, n, NULL, NULL);
	printf("%zu passed, %d failed, 0 skipped\n", n - (size_t)failed, failed);
	free(tests);
	return failed ? 1 : 0;
}
