/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bfddp, the protocol between bfdd and a data plane: messages of the stream to values and back, by
 * offset (doc/bfddp-protocol.md). Pure.
 *
 * A message is a header of 8 bytes {u8 version, u8 zero, u16 type, u16 id, u16 length with header}
 * and its payload, all in network order. A payload that is longer than we know is a later version's
 * and read as far as we know it.
 */
#ifndef FX_BFDDP_BFDDP_CODEC_H
#define FX_BFDDP_BFDDP_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "lib/addr.h"

#define BFDDP_VERSION	  1u
#define BFDDP_VERSION_MAX 15u /* larger numbers are no bfdd, now or in a foreseeable time */
#define BFDDP_HDR_LEN	  8u
#define BFDDP_LEN_MAX	  8192u /* bfdd's own buffer: FRR 8.4 to 10.7 can make nothing longer */
#define BFDDP_PORT	  50700u

#define BFDDP_ENCODED_MAX 140u /* an ADD; counters with their fillers have 128 */
#define BFDDP_IFNAME_LEN  64u

enum dp_type {
	DP_MSG_ECHO_REQUEST = 0,
	DP_MSG_ECHO_REPLY = 1,
	DP_MSG_ADD = 2,
	DP_MSG_DELETE = 3,
	DP_MSG_STATE = 4,
	DP_MSG_COUNTERS_REQUEST = 5,
	DP_MSG_COUNTERS = 6,
	DP_MSG_OTHER, /* well delimited, of a type that we do not know: to be skipped */
};

/* A reject ends the connection: what follows it cannot be delimited, or makes no sense. */
#define DP_REJECTS(X)                                                                              \
	X(VERSION, "message-version") /* 0, or beyond BFDDP_VERSION_MAX */                         \
	X(LENGTH, "message-length")   /* below its own header, or beyond BFDDP_LEN_MAX */          \
	X(PAYLOAD, "message-payload") /* shorter than its type needs */

#define DP_REJECT_ENUM(name, text) DP_REJ_##name,
enum dp_reject { DP_REJ_NONE, DP_REJECTS(DP_REJECT_ENUM) DP_REJ_COUNT };
#undef DP_REJECT_ENUM

/* "message-version", ...; "none"; never NULL. */
const char *dp_reject_name(enum dp_reject reject);

struct dp_echo {
	uint64_t dp_us;	  /* the data plane's clock; comes back as it was sent */
	uint64_t bfdd_us; /* bfdd's, since 1970 */
};

#define DP_F_MULTIHOP (1u << 0)
#define DP_F_DEMAND   (1u << 1) /* no version of bfdd sets it */
#define DP_F_CBIT     (1u << 2)
#define DP_F_ECHO     (1u << 3)
#define DP_F_IPV6     (1u << 4)
#define DP_F_PASSIVE  (1u << 5)
#define DP_F_SHUTDOWN (1u << 6)
#define DP_F_KNOWN    0x7fu

struct dp_session {
	uint32_t flags;	      /* DP_F_*, and whatever else came */
	struct fx_addr local; /* zero (family as peer): bfdd was told none, the route decides */
	struct fx_addr peer;
	uint32_t lid; /* our discriminator, chosen by bfdd */
	uint32_t min_tx_us, min_rx_us;
	uint32_t min_echo_tx_us;
	uint32_t min_echo_rx_us; /* 0: we turn no echo round */
	uint32_t hold_time;	 /* 0 in all versions */
	uint8_t min_ttl;	 /* 255 single hop */
	uint8_t mult;
	uint32_t ifindex;	       /* 0: none, or not known */
	char ifname[BFDDP_IFNAME_LEN]; /* ends with NUL, which the wire does not promise */
};

#define DP_REMOTE_CPI	     (1u << 0)
#define DP_REMOTE_DEMAND     (1u << 1)
#define DP_REMOTE_MULTIPOINT (1u << 2)

struct dp_state {
	uint32_t lid;
	uint32_t rid;	       /* 0: the peer is not heard */
	uint32_t remote_flags; /* DP_REMOTE_* */
	uint32_t remote_min_tx_us, remote_min_rx_us, remote_min_echo_rx_us;
	uint8_t state; /* ours: enum bfd_state */
	uint8_t diag;  /* the peer's last: bfdd shows it as "Remote diagnostics" */
	uint8_t remote_mult;
};

struct dp_counters {
	uint32_t lid;
	uint64_t in_bytes, in_pkts, out_bytes, out_pkts;
	uint64_t echo_in_bytes, echo_in_pkts, echo_out_bytes, echo_out_pkts;
};

struct dp_msg {
	uint8_t version; /* as received; in bfddp_encode(): as last received, or BFDDP_VERSION */
	enum dp_type type;
	uint16_t id; /* 0: unsolicited; a reply carries its request's */
	union {
		struct dp_echo echo;	   /* ECHO_REQUEST, ECHO_REPLY */
		struct dp_session session; /* ADD, DELETE */
		struct dp_state state;	   /* STATE */
		uint32_t lid;		   /* COUNTERS_REQUEST */
		struct dp_counters counters;
		uint16_t other; /* OTHER: the type on the wire */
	};
};

/*
 * The message at the head of buf, which may hold less than one or several.
 * >0: bytes consumed, *ret set, to the last byte of the message. 0: more bytes are needed, at most
 * BFDDP_LEN_MAX in all. -EBADMSG: *ret_reject says why, the field stands at dp_reject_offset();
 * known as soon as the field is there. Outputs are untouched otherwise.
 */
int bfddp_decode(const uint8_t *buf, size_t len, struct dp_msg *ret, enum dp_reject *ret_reject);

/* Where in the message the field of a reject stands; of PAYLOAD, the length. */
size_t dp_reject_offset(enum dp_reject reject);

/*
 * The message as bytes: >0 how many, a whole number of messages, each with its true length.
 * -ENOSPC: size is too small; BFDDP_ENCODED_MAX never is. -EINVAL: DP_MSG_OTHER, or version 0,
 * which stops bfdd's reading for ever.
 *
 * COUNTERS come with two ECHO_REPLYs in front, to be written with them at once: FRR 8.4 to 10.7
 * leave the read counters reply in an 8 KiB buffer that only a third message in one read compacts,
 * and drop the connection when it is full, after 102 replies. bfdd ignores an ECHO_REPLY.
 */
int bfddp_encode(const struct dp_msg *msg, uint8_t *buf, size_t size);

#endif
