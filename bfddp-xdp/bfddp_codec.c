/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfddp messages; see bfddp_codec.h. Offsets are from the first byte of the payload. */
#include <errno.h>
#include <string.h>

#include "bfddp-xdp/bfddp_codec.h"

#define LEN_ECHO	     16u
#define LEN_SESSION	     132u
#define LEN_STATE	     28u
#define LEN_COUNTERS_REQUEST 4u
#define LEN_COUNTERS	     72u /* as a 64-bit bfdd lays it out: 4 bytes of padding behind lid */

#define REJECT_CASE(name, text)                                                                    \
	case DP_REJ_##name:                                                                        \
		return text;

const char *dp_reject_name(enum dp_reject reject)
{
	switch (reject) {
		DP_REJECTS(REJECT_CASE)
	case DP_REJ_NONE:
	case DP_REJ_COUNT:
		break;
	}
	return "none";
}

size_t dp_reject_offset(enum dp_reject reject)
{
	return reject == DP_REJ_LENGTH || reject == DP_REJ_PAYLOAD ? 6 : 0;
}

/* ---- numbers ---- */

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)get32(p) << 32 | get32(p + 4);
}

static void put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static void put32(uint8_t *p, uint32_t value)
{
	put16(p, (uint16_t)(value >> 16));
	put16(p + 2, (uint16_t)value);
}

static void put64(uint8_t *p, uint64_t value)
{
	put32(p, (uint32_t)(value >> 32));
	put32(p + 4, (uint32_t)value);
}

/* ---- payloads ---- */

static void get_echo(const uint8_t *p, struct dp_echo *ret)
{
	ret->dp_us = get64(p);
	ret->bfdd_us = get64(p + 8);
}

static void put_echo(uint8_t *p, const struct dp_echo *echo)
{
	put64(p, echo->dp_us);
	put64(p + 8, echo->bfdd_us);
}

static void get_addr(const uint8_t *p, uint32_t flags, struct fx_addr *ret)
{
	*ret = (struct fx_addr){ .family = flags & DP_F_IPV6 ? FX_AF_INET6 : FX_AF_INET };
	memcpy(ret->bytes, p, flags & DP_F_IPV6 ? 16 : 4);
}

static void get_session(const uint8_t *p, struct dp_session *ret)
{
	ret->flags = get32(p);
	get_addr(p + 4, ret->flags, &ret->local);
	get_addr(p + 20, ret->flags, &ret->peer);
	ret->lid = get32(p + 36);
	ret->min_tx_us = get32(p + 40);
	ret->min_rx_us = get32(p + 44);
	ret->min_echo_tx_us = get32(p + 48);
	ret->min_echo_rx_us = get32(p + 52);
	ret->hold_time = get32(p + 56);
	ret->min_ttl = p[60];
	ret->mult = p[61];
	ret->ifindex = get32(p + 64);
	memcpy(ret->ifname, p + 68, sizeof(ret->ifname));
	ret->ifname[sizeof(ret->ifname) - 1] = 0;
}

static void put_session(uint8_t *p, const struct dp_session *session)
{
	size_t name_len = strnlen(session->ifname, sizeof(session->ifname));

	put32(p, session->flags);
	memcpy(p + 4, session->local.bytes, 16);
	memcpy(p + 20, session->peer.bytes, 16);
	put32(p + 36, session->lid);
	put32(p + 40, session->min_tx_us);
	put32(p + 44, session->min_rx_us);
	put32(p + 48, session->min_echo_tx_us);
	put32(p + 52, session->min_echo_rx_us);
	put32(p + 56, session->hold_time);
	p[60] = session->min_ttl;
	p[61] = session->mult;
	put32(p + 64, session->ifindex);
	memcpy(p + 68, session->ifname, name_len);
}

static void get_state(const uint8_t *p, struct dp_state *ret)
{
	ret->lid = get32(p);
	ret->rid = get32(p + 4);
	ret->remote_flags = get32(p + 8);
	ret->remote_min_tx_us = get32(p + 12);
	ret->remote_min_rx_us = get32(p + 16);
	ret->remote_min_echo_rx_us = get32(p + 20);
	ret->state = p[24];
	ret->diag = p[25];
	ret->remote_mult = p[26];
}

static void put_state(uint8_t *p, const struct dp_state *state)
{
	put32(p, state->lid);
	put32(p + 4, state->rid);
	put32(p + 8, state->remote_flags);
	put32(p + 12, state->remote_min_tx_us);
	put32(p + 16, state->remote_min_rx_us);
	put32(p + 20, state->remote_min_echo_rx_us);
	p[24] = state->state;
	p[25] = state->diag;
	p[26] = state->remote_mult;
}

static void get_counters(const uint8_t *p, struct dp_counters *ret)
{
	ret->lid = get32(p);
	ret->in_bytes = get64(p + 8);
	ret->in_pkts = get64(p + 16);
	ret->out_bytes = get64(p + 24);
	ret->out_pkts = get64(p + 32);
	ret->echo_in_bytes = get64(p + 40);
	ret->echo_in_pkts = get64(p + 48);
	ret->echo_out_bytes = get64(p + 56);
	ret->echo_out_pkts = get64(p + 64);
}

static void put_counters(uint8_t *p, const struct dp_counters *counters)
{
	put32(p, counters->lid);
	put64(p + 8, counters->in_bytes);
	put64(p + 16, counters->in_pkts);
	put64(p + 24, counters->out_bytes);
	put64(p + 32, counters->out_pkts);
	put64(p + 40, counters->echo_in_bytes);
	put64(p + 48, counters->echo_in_pkts);
	put64(p + 56, counters->echo_out_bytes);
	put64(p + 64, counters->echo_out_pkts);
}

/* ---- messages ---- */

static size_t payload_len(enum dp_type type)
{
	switch (type) {
	case DP_MSG_ECHO_REQUEST:
	case DP_MSG_ECHO_REPLY:
		return LEN_ECHO;
	case DP_MSG_ADD:
	case DP_MSG_DELETE:
		return LEN_SESSION;
	case DP_MSG_STATE:
		return LEN_STATE;
	case DP_MSG_COUNTERS_REQUEST:
		return LEN_COUNTERS_REQUEST;
	case DP_MSG_COUNTERS:
		return LEN_COUNTERS;
	case DP_MSG_OTHER:
		break;
	}
	return 0;
}

static int reject(enum dp_reject why, enum dp_reject *ret_reject)
{
	*ret_reject = why;
	return -EBADMSG;
}

static void get_payload(const uint8_t *p, struct dp_msg *ret)
{
	switch (ret->type) {
	case DP_MSG_ECHO_REQUEST:
	case DP_MSG_ECHO_REPLY:
		get_echo(p, &ret->echo);
		break;
	case DP_MSG_ADD:
	case DP_MSG_DELETE:
		get_session(p, &ret->session);
		break;
	case DP_MSG_STATE:
		get_state(p, &ret->state);
		break;
	case DP_MSG_COUNTERS_REQUEST:
		ret->lid = get32(p);
		break;
	case DP_MSG_COUNTERS:
		get_counters(p, &ret->counters);
		break;
	case DP_MSG_OTHER:
		break;
	}
}

int bfddp_decode(const uint8_t *buf, size_t len, struct dp_msg *ret, enum dp_reject *ret_reject)
{
	size_t msg_len;
	uint16_t wire_type;
	enum dp_type type;

	if (len > 0 && (!buf[0] || buf[0] > BFDDP_VERSION_MAX))
		return reject(DP_REJ_VERSION, ret_reject);
	if (len < BFDDP_HDR_LEN)
		return 0;
	msg_len = get16(buf + 6);
	if (msg_len < BFDDP_HDR_LEN || msg_len > BFDDP_LEN_MAX)
		return reject(DP_REJ_LENGTH, ret_reject);
	wire_type = get16(buf + 2);
	type = wire_type < DP_MSG_OTHER ? (enum dp_type)wire_type : DP_MSG_OTHER;
	if (msg_len - BFDDP_HDR_LEN < payload_len(type))
		return reject(DP_REJ_PAYLOAD, ret_reject);
	if (len < msg_len)
		return 0;
	*ret = (struct dp_msg){ .version = buf[0], .type = type, .id = get16(buf + 4) };
	if (type == DP_MSG_OTHER)
		ret->other = wire_type;
	else
		get_payload(buf + BFDDP_HDR_LEN, ret);
	return (int)msg_len;
}

static void put_payload(uint8_t *p, const struct dp_msg *msg)
{
	switch (msg->type) {
	case DP_MSG_ECHO_REQUEST:
	case DP_MSG_ECHO_REPLY:
		put_echo(p, &msg->echo);
		break;
	case DP_MSG_ADD:
	case DP_MSG_DELETE:
		put_session(p, &msg->session);
		break;
	case DP_MSG_STATE:
		put_state(p, &msg->state);
		break;
	case DP_MSG_COUNTERS_REQUEST:
		put32(p, msg->lid);
		break;
	case DP_MSG_COUNTERS:
		put_counters(p, &msg->counters);
		break;
	case DP_MSG_OTHER:
		break;
	}
}

static int encode_one(const struct dp_msg *msg, uint8_t *buf, size_t size)
{
	size_t len = BFDDP_HDR_LEN + payload_len(msg->type);

	if (len > size)
		return -ENOSPC;
	memset(buf, 0, len);
	buf[0] = msg->version;
	put16(buf + 2, (uint16_t)msg->type);
	put16(buf + 4, msg->id);
	put16(buf + 6, (uint16_t)len);
	put_payload(buf + BFDDP_HDR_LEN, msg);
	return (int)len;
}

int bfddp_encode(const struct dp_msg *msg, uint8_t *buf, size_t size)
{
	const struct dp_msg filler = { .version = msg->version, .type = DP_MSG_ECHO_REPLY };
	size_t at = 0;
	int n;

	if (msg->type >= DP_MSG_OTHER || !msg->version)
		return -EINVAL;
	for (int i = 0; msg->type == DP_MSG_COUNTERS && i < 2; i++) {
		n = encode_one(&filler, buf + at, size - at);
		if (n < 0)
			return n;
		at += (size_t)n;
	}
	n = encode_one(msg, buf + at, size - at);
	return n < 0 ? n : (int)at + n;
}
