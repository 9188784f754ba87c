/* SPDX-License-Identifier: MIT */
#ifndef AG_GNN_H
#define AG_GNN_H
#endif
