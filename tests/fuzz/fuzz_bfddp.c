/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may come from bfdd: a stream, from its first byte to the sessions. */
#include <string.h>

#include "tests/fuzz/fuzz_sessions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was decoded and encoded decodes to the same again. */
static void check_encoding(const struct dp_msg *msg)
{
	uint8_t first[BFDDP_ENCODED_MAX], second[BFDDP_ENCODED_MAX];
	enum dp_reject why;
	struct dp_msg again;
	int at = msg->type == DP_MSG_COUNTERS ? 48 : 0; /* behind the fillers */
	int n = bfddp_encode(msg, first, sizeof(first));

	if (msg->type == DP_MSG_OTHER) {
		fuzz_require(n < 0, "what we do not know we do not send");
		return;
	}
	fuzz_require(n > 0, "what is known can be encoded");
	fuzz_require(bfddp_decode(first + at, (size_t)(n - at), &again, &why) == n - at,
		     "what was encoded is a whole message");
	fuzz_require(bfddp_encode(&again, second, sizeof(second)) == n, "as long as before");
	fuzz_require(!memcmp(first, second, (size_t)n), "the same bytes");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum dp_reject why = DP_REJ_NONE;
	struct fuzz_sessions f;
	struct dp_msg msg;
	int n;

	fuzz_sessions_init(&f);
	while ((n = bfddp_decode(data, size, &msg, &why)) > 0) {
		fuzz_require((size_t)n <= size && n >= (int)BFDDP_HDR_LEN, "a message ends");
		data += n;
		size -= (size_t)n;
		check_encoding(&msg);
		fuzz_sessions_message(&f, &msg);
		fuzz_sessions_advance(&f, 1000000);
	}
	fuzz_require((n < 0) == (why != DP_REJ_NONE), "a reject has a reason");
	fuzz_sessions_done(&f);
	return 0;
}
