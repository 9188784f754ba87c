/* SPDX-License-Identifier: MIT */
/* Begins a net, and draws its sizes. */
#include "examples/lab/nets/net.h"

enum { NET_STREAM = 0x4c41 }; /* the upper 16 bits keep these streams apart from others */

void lab_net_block(lab_net *net, int index)
{
    net->random.stream = (uint64_t)NET_STREAM << 48 | (uint64_t)(uint32_t)index;
    net->random.position = 0;
}

int lab_net_below(lab_net *net, int n) { return (int)ag_random_below(&net->random, (uint32_t)n); }

int lab_net_chance(lab_net *net, int percent) { return lab_net_below(net, 100) < percent; }

static int power_of_two(int x)
{
    int power = 1;
    while (power * 3 <= x * 2) power *= 2; /* the nearest power by ratio, about */
    return power;
}

int lab_net_count(lab_net *net, int low, int high)
{
    int64_t most = (int64_t)lab_net_below(net, 1024) * (high - low + 1) / 1024;
    int64_t reach = net->scale * 4 < LAB_SCALE ? net->scale * 4 : LAB_SCALE;
    return low + (int)(most * reach / LAB_SCALE);
}

int lab_net_batch(lab_net *net, int most)
{
    int doublings = 0;
    while (2 << doublings <= most) doublings++;
    int size = 1 << lab_net_below(net, doublings + 1);
    if (lab_net_chance(net, 15)) size = 1 + lab_net_below(net, most);
    return size;
}

int lab_net_width(lab_net *net, int low, int high)
{
    int64_t most = (int64_t)(high - low) * (256 + lab_net_below(net, 768)) / 1024;
    int size = low + (int)(most * net->scale / LAB_SCALE);
    int odd = lab_net_chance(net, 10);
    if (odd || net->grain == 2 || size < 6) return size;
    if (net->grain == 0) return power_of_two(size);
    return (size + 4) / 8 * 8;
}

void lab_net_start(lab_net *net, lab_program *p, int scale, uint64_t seed)
{
    static const int below[] = {50, 60, 72, 84, 92, 100}; /* of 100 draws, by activation */
    *net = (lab_net){.p = p, .scale = scale, .random.seed = seed};
    lab_net_block(net, 0);
    int grain = lab_net_below(net, 10);
    net->grain = grain < 4 ? 0 : grain < 8 ? 1 : 2;
    net->channels_first = lab_net_chance(net, 25);
    net->folded = lab_net_chance(net, 40);
    const int draw = lab_net_below(net, 100);
    while (draw >= below[net->activation]) net->activation++;
}

lab_shape lab_net_shape(const lab_net *net, int x) { return lab_shape_of(net->p, x); }

int lab_net_size(const lab_net *net, int x, int axis)
{
    lab_shape s = lab_net_shape(net, x);
    return axis >= 0 && axis < s.rank ? s.size[axis] : 1;
}
