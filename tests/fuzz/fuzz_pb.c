/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The payload of one protobuf frame. */
#include <stdlib.h>

#include "fpm-xdp/pb_decode.h"
#include "tests/fuzz/fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_op *op = malloc(sizeof(*op));
	enum pb_reject why = PB_REJ_NONE;
	struct fuzz_model model;

	fuzz_model_init(&model);
	if (pb_decode(data, size, op, &why) > 0)
		fuzz_model_apply(&model, FIB_FPM, op);
	else
		fuzz_require(why != PB_REJ_NONE, "a reject has a reason");
	fuzz_model_done(&model);
	free(op);
	return 0;
}
