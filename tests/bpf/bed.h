/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bed for the BPF programs: both loaded over one set of maps, in a network namespace of their own
 * with two ports, and run with BPF_PROG_TEST_RUN. Packets come in on the loopback interface, which
 * is what the kernel takes when no other is named.
 *
 * The state that all tests start from is a set of destinations that behave: bed_route() below gives
 * each an adjacency or a group. Ids that tests use are in enum bed_adj.
 */
#ifndef FX_TESTS_BPF_BED_H
#define FX_TESTS_BPF_BED_H

#include <stdint.h>

#include "bpf/fx_abi.h"
#include "tests/bpf/frame.h"

#define BED_IN	  1u	/* ifindex of lo */
#define BED_SLOT  5u	/* its counters */
#define BED_GHOST 4000u /* an ifindex that is no port */

enum bed_adj {
	BED_ADJ_PLAIN = 1, /* to port 0, MTU 1500, sends single buffers */
	BED_ADJ_JUMBO,	   /* to port 1, MTU 9000, takes several buffers */
	BED_ADJ_NO_SG,	   /* the same, single buffers only */
	BED_ADJ_NO_TX,	   /* to port 0, cannot send for XDP */
	BED_ADJ_BACK,	   /* out where packets come in */
	BED_ADJ_GONE,	   /* a device that is in no port map */
	BED_ADJ_DOWN,	   /* passes: link down */
	BED_ADJ_GLEAN,	   /* the network on port 0 */
	BED_ADJ_MIN_MTU,   /* to port 0, MTU 128 */
	BED_ADJ_FREE = 16, /* from here on the tests' own */
};

struct bed;

/* Exits with 77 and the reason where BPF programs cannot be loaded, with 1 on any other failure. */
struct bed *bed_new(void);
void bed_free(struct bed *bed);

int bed_fd_root(const struct bed *bed);
int bed_fd_fwd(const struct bed *bed);
uint32_t bed_port(const struct bed *bed, unsigned int n); /* ifindex of port 0 or 1 */

/* ---- map state ---- */

void bed_slot(struct bed *bed, uint32_t slot, int prog_fd); /* -1: empties it */
void bed_iface(struct bed *bed, uint32_t ifindex, uint32_t flags);
void bed_iface_vrf(struct bed *bed, uint32_t ifindex, uint32_t flags, uint32_t vrf);
/* None of these moves fx_meta.fib_epoch: a test that changes a route after a packet must. */
void bed_route(struct bed *bed, const char *prefix, uint32_t gid); /* of FX_VRF_DEFAULT */
void bed_route_vrf(struct bed *bed, uint32_t vrf, const char *prefix, uint32_t gid);
void bed_route_del(struct bed *bed, const char *prefix);
void bed_group(struct bed *bed, uint32_t gid, uint64_t word);
void bed_bucket(struct bed *bed, uint32_t i, uint32_t adj);
/* MACs follow from the id: bed_macs(). */
void bed_adj(struct bed *bed, uint32_t id, uint32_t kind, uint32_t flags, uint32_t verdict,
	     uint32_t ifindex, uint16_t mtu);
void bed_macs(uint32_t id, uint8_t dst[6], uint8_t src[6]);
void bed_neigh(struct bed *bed, uint32_t ifindex, const char *addr, uint32_t adj);
void bed_own4(struct bed *bed, const char *addr);
struct fx_meta *bed_meta(struct bed *bed);

/* ---- running ---- */

struct bed_result {
	int action;	  /* XDP_* */
	uint32_t verdict; /* the one counter that moved; FX_V_COUNT: none; FX_V_SLOTS: several */
	uint32_t adj;	  /* the adjacency whose counters moved; 0: none */
	uint64_t adj_packets; /* by how much */
	uint64_t adj_bytes;
	struct frame out;
};

void bed_run(struct bed *bed, int prog_fd, const struct frame *in, struct bed_result *ret);
/* The forwarding program, action and output alone: for many packets, from any thread. */
void bed_run_quickly(const struct bed *bed, const struct frame *in, struct bed_result *ret);
/* Runs the forwarding program; asserts verdict, action, counters and every byte of the output. adj:
 * where a forwarded packet must go. */
void bed_expect(struct bed *bed, const struct frame *in, uint32_t verdict, uint32_t adj);

const char *bed_verdict_name(uint32_t verdict);

/* ---- tables ---- */

struct bed_row {
	const char *what; /* a sentence */
	struct frame_spec spec;
	void (*edit)(struct frame *frame); /* NULL: as built */
	uint32_t verdict;
	uint32_t adj; /* with FX_V_FORWARDED */
};

struct CMUnitTest;

/* Runs each row as a test of its own, then the n others; prints `N passed, N failed, N skipped`,
 * the line that totals are summed from, and gives the exit status. Tests get the bed as *state. */
int bed_main(struct bed *bed, const struct bed_row *rows, size_t nrows,
	     const struct CMUnitTest *others, size_t nothers);

#endif
