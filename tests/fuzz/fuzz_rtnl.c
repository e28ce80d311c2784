/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A buffer of the kernel's messages, which is trusted to be one: bad ones are looked at all the
 * same. */
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/rtnl_attr.h"
#include "fpm-xdp/rtnl_decode.h"
#include "tests/fuzz/fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_op *op = malloc(sizeof(*op));
	struct fuzz_model model;

	fuzz_model_init(&model);
	while (size >= sizeof(uint32_t)) {
		enum rtnl_reject why = RTNL_REJ_NONE;
		size_t len = RTNL_ALIGN((size_t)rtnl_u32(data));

		if (rtnl_decode(data, size, RTNL_KERNEL, op, &why) > 0)
			fuzz_model_apply(&model, FIB_KERNEL, op);
		else
			fuzz_require(why != RTNL_REJ_NONE, "a reject has a reason");
		if (!len || len > size)
			break;
		data += len;
		size -= len;
	}
	fuzz_model_done(&model);
	free(op);
	return 0;
}
