/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bed for BFD's kernel half: xdp_bfd loaded with the router behind it, sessions filled in by hand
 * as the daemon would, packets by BPF_PROG_TEST_RUN. They come in on the loopback interface.
 *
 * The programs' own headers for wire and checksums are not used here: bytes are written by offset
 * and sums are made anew.
 */
#ifndef FX_TESTS_BPF_BFD_BED_H
#define FX_TESTS_BPF_BFD_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/fx_abi.h"
#include "bpf/fx_bfd.h"
#include "tests/bpf/frame.h"

#define BED_IN	  1u /* ifindex of lo */
#define BED_SPORT 50505u
#define BED_MS	  1000000ull
#define BED_S	  1000000000ull

/* Sessions that are there, all Up, by slot. Peers end in 2, we in 1. */
enum bed_sess {
	BED_V4 = 1, /* 10.9.0.x */
	BED_V6,	    /* 2001:db8:9::x */
	BED_LL,	    /* fe80::x */
	BED_MH4,    /* multihop, 10.8.0.x, minimum TTL 250 */
	BED_MH6,    /* multihop, 2001:db8:8::x, minimum 250 */
	BED_ANY,    /* 10.7.0.2, without a local address */
	BED_SESS_END,
};

#define BED_MY_DISC(slot)   (0x11110000u + (slot))
#define BED_PEER_DISC(slot) (0x22220000u + (slot))

struct bfd_bed {
	struct xdp_bfd *bfd;
	struct xdp_fwd *fwd;
	struct fx_bfd_sess *sess;
	struct fx_bfd_meta *meta;
	struct ring_buffer *ring;
	struct fx_bfd_event event; /* the last one */
	unsigned int events;	   /* since bfd_bed_reset() */
	uint64_t passed_on;	   /* packets that the router saw before */
};

/* Exits with 77 and the reason where BPF programs cannot be loaded, with 1 on any other failure. */
void bfd_bed_init(struct bfd_bed *bed);
void bfd_bed_done(struct bfd_bed *bed);

/* Every session as it was, no events, the daemon alive; returns now. Our packets are due in 1 h. */
uint64_t bfd_bed_reset(struct bfd_bed *bed);
uint64_t bfd_bed_now(void);
/* A slot's entry in fx_bfd_by_addr; local NULL: any. */
void bfd_bed_addr(struct bfd_bed *bed, uint32_t slot, uint32_t kind, const char *peer,
		  const char *local);
int bfd_bed_timer(struct bfd_bed *bed, uint32_t slot, uint32_t op);

/* ---- packets ---- */

/* The steady packet of a session's peer, and variations. */
struct bfd_spec {
	uint32_t slot;
	const char *src; /* NULL: the peer */
	const char *dst; /* NULL: ours */
	int ttl;	 /* 255 */
	uint16_t dport;	 /* by the session */
	int payload;	 /* 24; bytes of UDP payload, those behind the control packet are random */
	int padding;
	void (*edit)(uint8_t *control); /* before the checksum */
};

/* Where things are in a frame of this session. */
unsigned int bfd_udp_at(uint32_t slot);
uint8_t *bfd_control(struct frame *frame, uint32_t slot);
void bfd_frame(struct frame *frame, const struct bfd_spec *spec);
void bfd_fix_udp(struct frame *frame); /* checksum over what the length field says */
/* The RFC 1071 sum of the datagram with its pseudo header: 0xffff if the checksum is right. */
uint32_t bfd_udp_sum(const struct frame *frame);
/* in turned round: whole frame as it must leave. */
void bfd_turned(struct frame *out, const struct frame *in, const struct fx_bfd_sess *sess);

/* ---- running ---- */

struct bfd_result {
	int action;
	bool passed_on;	    /* the router behind it saw the packet */
	uint32_t sess_rej;  /* the reject counter that moved; FX_BFD_REJ_COUNT: several */
	uint32_t sess_slot; /* ... of this session */
	uint32_t meta_rej;
	unsigned int events;
	struct frame out;
};

void bfd_bed_run(struct bfd_bed *bed, const struct frame *in, struct bfd_result *ret);
/* The packet n times, with nothing looked at and no event fetched; the last action. */
int bfd_bed_flood(struct bfd_bed *bed, const struct frame *in, uint32_t n);
/* Fetches what is in the ring. */
void bfd_bed_events(struct bfd_bed *bed);
/* Waits up to ms for one; whether it came. */
bool bfd_bed_wait(struct bfd_bed *bed, int ms);

/* Not BFD of ours: passed on untouched, nothing counted, nothing told. */
void bfd_expect_untouched(struct bfd_bed *bed, const struct frame *in);

struct CMUnitTest;
int bfd_bed_main(struct bfd_bed *bed, const struct CMUnitTest *tests, size_t n);

#endif
