/* SPDX-License-Identifier: MIT */
/* The layouts that a node can choose, counted and written as digits. */
#include "examples/tpugraphs/hlo/parts.h"

static int factorial(int n)
{
    int product = 1;
    for (int i = 2; i <= n; i++) product *= i;
    return product;
}

/* The pairs of a convolution or a dot, each in two orders if it has two axes. */
static int pairs(const hlo_choosing *x)
{
    int n = 1;
    for (int i = 0; i < 3; i++) n *= x->slot[i].n == 2 ? 2 : 1;
    return n;
}

int hlo_choices(const hlo_choosing *x)
{
    if (x->opcode != TPUGRAPHS_RESHAPE) return pairs(x) + 2 * x->alone;
    return x->groups < 0 ? 1 : factorial(x->groups) + 1;
}

/* Order number `which` of the numbers below n; 0: ascending. */
static void permute(int *order, int n, int which)
{
    int left[TPUGRAPHS_AXES];
    for (int i = 0; i < n; i++) left[i] = i;
    for (int i = 0; i < n; i++) {
        const int of_rest = factorial(n - 1 - i), k = which / of_rest;
        which %= of_rest;
        order[i] = left[k];
        for (int j = k; j < n - 1 - i; j++) left[j] = left[j + 1];
    }
}

/* Writes the axes of a slot, group by group. */
static void write_slot(float *digit, const hlo_slot *slot, const int *order, int groups)
{
    for (int g = 0; g <= groups; g++)
        for (int i = 0; i < slot->n; i++)
            if (slot->group[i] == (g < groups ? order[g] : HLO_LAST))
                *digit++ = (float)slot->axis[i];
}

static void write_reshape(float *digit, const hlo_choosing *x, int choice)
{
    int order[TPUGRAPHS_AXES];
    if (!choice) return;
    permute(order, x->groups, choice - 1);
    for (int i = 0; i < 2; i++)
        write_slot(digit + TPUGRAPHS_AXES * i, &x->slot[i], order, x->groups);
}

/* A bit of the choice for each pair. */
static void write_pairs(float *digit, const hlo_choosing *x, int choice)
{
    const int all = pairs(x), slots = choice < all ? 3 : 1;
    if (choice >= all) choice -= all;
    for (int i = 0; i < slots; i++) {
        const int n = x->slot[i].n, turned = n == 2 && (choice & 1);
        write_slot(digit + TPUGRAPHS_AXES * i, &x->slot[i], (int[]){turned, !turned}, n);
        choice >>= n == 2;
    }
}

void hlo_choice(float digit[18], const hlo_choosing *x, int choice)
{
    for (int i = 0; i < 18; i++) digit[i] = -1;
    (x->opcode == TPUGRAPHS_RESHAPE ? write_reshape : write_pairs)(digit, x, choice);
}
