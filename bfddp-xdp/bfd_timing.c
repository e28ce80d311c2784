/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of RFC 5880; see bfd_timing.h. */
#include "bfddp-xdp/bfd_timing.h"

#define NS_PER_US	1000u
#define JITTER_MIN	768u /* 75 % of 1024 */
#define JITTER_SPAN	256u /* to 100 % */
#define JITTER_SPAN_ONE 154u /* to 90 % */

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

uint32_t bfd_timing_min_tx_us(uint32_t configured_us, bool up)
{
	return max_u32(configured_us, up ? BFD_FLOOR_US : BFD_SLOW_US);
}

uint32_t bfd_timing_min_rx_us(uint32_t configured_us)
{
	return configured_us ? max_u32(configured_us, BFD_FLOOR_US) : 0;
}

uint64_t bfd_timing_tx_ns(uint32_t min_tx_us, uint32_t remote_min_rx_us)
{
	if (!remote_min_rx_us)
		return 0;
	return (uint64_t)max_u32(min_tx_us, remote_min_rx_us) * NS_PER_US;
}

void bfd_timing_jitter(uint8_t mult, uint32_t *ret_min, uint32_t *ret_span)
{
	*ret_min = JITTER_MIN;
	*ret_span = mult == 1 ? JITTER_SPAN_ONE : JITTER_SPAN;
}

/* An interval has at most 43 bits, so that the product fits. */
uint64_t bfd_timing_wait_ns(uint64_t interval_ns, uint8_t mult, uint32_t random)
{
	uint32_t min, span;

	bfd_timing_jitter(mult, &min, &span);
	return interval_ns * (min + (uint32_t)((uint64_t)random * span >> 32)) / 1024;
}

uint64_t bfd_timing_detect_ns(uint8_t remote_mult, uint32_t min_rx_us, uint32_t remote_min_tx_us)
{
	if (!min_rx_us)
		return 0;
	return (uint64_t)max_u32(min_rx_us, remote_min_tx_us) * NS_PER_US * remote_mult;
}

uint64_t bfd_timing_echo_ns(uint32_t min_echo_tx_us, uint32_t remote_min_echo_rx_us)
{
	if (!remote_min_echo_rx_us)
		return 0;
	return (uint64_t)max_u32(max_u32(min_echo_tx_us, remote_min_echo_rx_us), BFD_FLOOR_US) *
	       NS_PER_US;
}
