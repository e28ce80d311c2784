/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BFD control packet of RFC 5880 4.1: its fields, and the checks that need no session. The one
 * description for the kernel half, the daemon and the tests.
 *
 * All functions take the 24 bytes of the mandatory section, which the caller knows to be there, and
 * read by offset: nothing is overlaid by a cast, no alignment is assumed.
 */
#ifndef FX_BPF_BFD_WIRE_H
#define FX_BPF_BFD_WIRE_H

#include <linux/types.h>

#include "bpf/fx_bfd.h"
#include "bpf/fx_parse.h"

#define BFD_VERSION	 1u
#define BFD_LEN_MIN	 24u
#define BFD_LEN_MIN_AUTH 26u /* RFC 5880 6.8.6: with the A bit */

/* RFC 5880 4.1. The text is what `show bfd peers` of vtysh prints. */
#define BFD_STATES(X)                                                                              \
	X(ADMIN_DOWN, 0, "shutdown")                                                               \
	X(DOWN, 1, "down")                                                                         \
	X(INIT, 2, "init")                                                                         \
	X(UP, 3, "up")

#define BFD_DIAGS(X)                                                                               \
	X(NONE, 0, "ok")                                                                           \
	X(DETECT_EXPIRED, 1, "control detection time expired")                                     \
	X(ECHO_FAILED, 2, "echo function failed")                                                  \
	X(NEIGHBOR_DOWN, 3, "neighbor signaled session down")                                      \
	X(FORWARDING_RESET, 4, "forwarding plane reset")                                           \
	X(PATH_DOWN, 5, "path down")                                                               \
	X(CONCAT_PATH_DOWN, 6, "concatenated path down")                                           \
	X(ADMIN_DOWN, 7, "administratively down")                                                  \
	X(REVERSE_CONCAT_PATH_DOWN, 8, "reverse concatenated path down")

enum bfd_state {
#define BFD_X(name, value, text) BFD_STATE_##name = value,
	BFD_STATES(BFD_X)
#undef BFD_X
};

enum bfd_diag {
#define BFD_X(name, value, text) BFD_DIAG_##name = value,
	BFD_DIAGS(BFD_X)
#undef BFD_X
};

/* The second byte, below the two bits of state. */
#define BFD_BIT_POLL	   0x20u
#define BFD_BIT_FINAL	   0x10u
#define BFD_BIT_CPI	   0x08u /* Control Plane Independent */
#define BFD_BIT_AUTH	   0x04u
#define BFD_BIT_DEMAND	   0x02u
#define BFD_BIT_MULTIPOINT 0x01u
#define BFD_BITS	   0x3fu

static FX_INLINE __u32 bfd_wire_version(const __u8 *p)
{
	return p[0] >> 5;
}

static FX_INLINE __u32 bfd_wire_diag(const __u8 *p)
{
	return p[0] & 0x1f;
}

static FX_INLINE __u32 bfd_wire_state(const __u8 *p)
{
	return p[1] >> 6;
}

static FX_INLINE __u32 bfd_wire_bits(const __u8 *p)
{
	return p[1] & BFD_BITS;
}

static FX_INLINE __u32 bfd_wire_mult(const __u8 *p)
{
	return p[2];
}

static FX_INLINE __u32 bfd_wire_len(const __u8 *p)
{
	return p[3];
}

static FX_INLINE __u32 bfd_wire_u32(const __u8 *p)
{
	return (__u32)p[0] << 24 | (__u32)p[1] << 16 | (__u32)p[2] << 8 | p[3];
}

static FX_INLINE __u32 bfd_wire_my_disc(const __u8 *p)
{
	return bfd_wire_u32(p + 4);
}

static FX_INLINE __u32 bfd_wire_your_disc(const __u8 *p)
{
	return bfd_wire_u32(p + 8);
}

static FX_INLINE __u32 bfd_wire_min_tx(const __u8 *p) /* microseconds, as the next two */
{
	return bfd_wire_u32(p + 12);
}

static FX_INLINE __u32 bfd_wire_min_rx(const __u8 *p)
{
	return bfd_wire_u32(p + 16);
}

static FX_INLINE __u32 bfd_wire_min_echo_rx(const __u8 *p)
{
	return bfd_wire_u32(p + 20);
}

/*
 * The checks of RFC 5880 6.8.6, in its order, as far as they need no session. room: bytes of UDP
 * payload, at least 24 (fewer are FX_BFD_REJ_SHORT, the caller's to find before it reads).
 * The state's check stands behind the lookup by a nonzero Your Discriminator there; since it is
 * only for a zero one, the order is the same. What is left to the caller, in this order: YOUR_DISC
 * or NO_SESSION, then bfd_wire_check_auth().
 */
static FX_INLINE __u32 bfd_wire_check(const __u8 *p, __u32 room)
{
	__u32 len = bfd_wire_len(p);

	if (bfd_wire_version(p) != BFD_VERSION)
		return FX_BFD_REJ_VERSION;
	if (len < (bfd_wire_bits(p) & BFD_BIT_AUTH ? BFD_LEN_MIN_AUTH : BFD_LEN_MIN) || len > room)
		return FX_BFD_REJ_LENGTH;
	if (!bfd_wire_mult(p))
		return FX_BFD_REJ_MULTIPLIER;
	if (bfd_wire_bits(p) & BFD_BIT_MULTIPOINT)
		return FX_BFD_REJ_MULTIPOINT;
	if (!bfd_wire_my_disc(p))
		return FX_BFD_REJ_MY_DISC;
	if (!bfd_wire_your_disc(p) && bfd_wire_state(p) > BFD_STATE_DOWN)
		return FX_BFD_REJ_STATE;
	return FX_BFD_REJ_NONE;
}

/* bfddp conveys no keys, so a session of ours never uses authentication, and a packet that does is
 * discarded: RFC 5880 6.8.6. */
static FX_INLINE __u32 bfd_wire_check_auth(const __u8 *p)
{
	return bfd_wire_bits(p) & BFD_BIT_AUTH ? FX_BFD_REJ_AUTH : FX_BFD_REJ_NONE;
}

/* The same as values, for who has to look at all of them. */
struct bfd_packet {
	__u8 state; /* enum bfd_state: two bits on the wire, so always one of the four */
	__u8 diag;  /* enum bfd_diag, or one of the reserved 9..31 */
	__u8 bits;  /* BFD_BIT_* */
	__u8 mult;
	__u32 my_disc;
	__u32 your_disc;
	__u32 min_tx_us;
	__u32 min_rx_us;
	__u32 min_echo_rx_us;
};

static FX_INLINE void bfd_wire_get(const __u8 *p, struct bfd_packet *ret)
{
	ret->state = (__u8)bfd_wire_state(p);
	ret->diag = (__u8)bfd_wire_diag(p);
	ret->bits = (__u8)bfd_wire_bits(p);
	ret->mult = (__u8)bfd_wire_mult(p);
	ret->my_disc = bfd_wire_my_disc(p);
	ret->your_disc = bfd_wire_your_disc(p);
	ret->min_tx_us = bfd_wire_min_tx(p);
	ret->min_rx_us = bfd_wire_min_rx(p);
	ret->min_echo_rx_us = bfd_wire_min_echo_rx(p);
}

static FX_INLINE void bfd_wire_put_u32(__u8 *p, __u32 value)
{
	p[0] = (__u8)(value >> 24);
	p[1] = (__u8)(value >> 16);
	p[2] = (__u8)(value >> 8);
	p[3] = (__u8)value;
}

/* Writes 24 bytes: version 1, length 24, no authentication. */
static FX_INLINE void bfd_wire_put(__u8 *p, const struct bfd_packet *packet)
{
	p[0] = (__u8)(BFD_VERSION << 5 | (packet->diag & 0x1f));
	p[1] = (__u8)(packet->state << 6 | (packet->bits & BFD_BITS));
	p[2] = packet->mult;
	p[3] = BFD_LEN_MIN;
	bfd_wire_put_u32(p + 4, packet->my_disc);
	bfd_wire_put_u32(p + 8, packet->your_disc);
	bfd_wire_put_u32(p + 12, packet->min_tx_us);
	bfd_wire_put_u32(p + 16, packet->min_rx_us);
	bfd_wire_put_u32(p + 20, packet->min_echo_rx_us);
}

#endif
