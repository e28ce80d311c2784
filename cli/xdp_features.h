/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a device's driver says of XDP: netdev generic netlink, Linux 6.3 and newer. Edge. */
#ifndef FX_CLI_XDP_FEATURES_H
#define FX_CLI_XDP_FEATURES_H

#include <stdint.h>

/* enum netdev_xdp_act of linux/netdev.h, which Linux 6.1's headers lack. */
#define XDP_FEATURE_BASIC (1u << 0) /* a program can be attached in native mode */
#define XDP_FEATURE_XMIT  (1u << 2) /* ndo_xdp_xmit works now: others can redirect to it */
#define XDP_FEATURE_RX_SG (1u << 5) /* programs see frames of several buffers */

/* 0; -EOPNOTSUPP: the kernel cannot be asked; or another negative errno. */
int xdp_features_get(unsigned int ifindex, uint64_t *ret);

#endif
