/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of RFC 5880: what is advertised, how often we send, when silence means down. Pure:
 * randomness is an argument. Wire values are in microseconds, times in nanoseconds.
 */
#ifndef FX_BFDDP_BFD_TIMING_H
#define FX_BFDDP_BFD_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#define BFD_SLOW_US  1000000u /* RFC 5880 6.8.3: not faster than this while not Up */

/* bfdd allows no less than 10 ms. Whatever else arrives here becomes this, advertised as such, so
 * that no value makes us or the peer storm. */
#define BFD_FLOOR_US 1000u

/* What we advertise as Desired Min TX Interval: RFC 5880 6.8.3. */
uint32_t bfd_timing_min_tx_us(uint32_t configured_us, bool up);
/* ... as Required Min RX Interval; 0, which is "send me nothing", stays 0: RFC 5880 4.1. */
uint32_t bfd_timing_min_rx_us(uint32_t configured_us);

/* The interval between our periodic packets, before jitter: RFC 5880 6.8.2, 6.8.7. 0: none, since
 * the peer's Required Min RX Interval is 0. */
uint64_t bfd_timing_tx_ns(uint32_t min_tx_us, uint32_t remote_min_rx_us);

/* The share of the interval, of 1024, that is waited: at least *ret_min, less than
 * *ret_min + *ret_span. 75 to 100 %, with multiplier 1 to 90 %: RFC 5880 6.8.7. */
void bfd_timing_jitter(uint8_t mult, uint32_t *ret_min, uint32_t *ret_span);

/* One wait: interval_ns with jitter. random: any 32 bits. Never above interval_ns. */
uint64_t bfd_timing_wait_ns(uint64_t interval_ns, uint8_t mult, uint32_t random);

/* Detection time in asynchronous mode: RFC 5880 6.8.4. 0: none, as long as no packet has come
 * (remote_mult 0), or if we want none (min_rx_us 0) and so can miss none. */
uint64_t bfd_timing_detect_ns(uint8_t remote_mult, uint32_t min_rx_us, uint32_t remote_min_tx_us);

/* The interval between our echo packets: RFC 5880 6.8.9. 0: none, since the peer turns none round.
 */
uint64_t bfd_timing_echo_ns(uint32_t min_echo_tx_us, uint32_t remote_min_echo_rx_us);

#endif
