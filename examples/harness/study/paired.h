/* SPDX-License-Identifier: MIT */
/* How much a variant differs from another one that was trained with the same seeds and scored on
   the same groups. */
#ifndef HARNESS_PAIRED_H
#define HARNESS_PAIRED_H

/* mean: of the differences; NaN: nothing pairs. low, high: its 95 % interval, p: of Student's t,
   two-sided; NaN where fewer than two seeds pair, p also where all differences are equal. */
typedef struct harness_paired {
    double mean, low, high, p;
    int seeds, groups; /* how many pair */
} harness_paired;

/* of, base [seeds][groups]: a measure of the variant and of the one that it is compared with, NaN:
   none. A seed pairs where both have a value of any group, a group where both have one of each seed
   that pairs. With d the differences, S seeds and G groups that pair, d_s the mean over the groups,
   d_g the mean over the seeds,

       v_S = var(d_s) / S,  v_G = var(d_g) / G (0 if G = 1),  var with S - 1 and G - 1,
       t = mean(d) / sqrt(v_S + v_G),
       degrees of freedom = (v_S + v_G)^2 / (v_S^2 / (S - 1) + v_G^2 / (G - 1))

   as in Welch's test, so that the interval holds for other seeds and for other groups like these.
   What is neither of a seed nor of a group is in both variances: the interval is rather too wide.
 */
harness_paired harness_pair(const double *of, const double *base, int seeds, int groups);

/* The two-sided p of Student's t, and the t of a two-sided p of 0.05; freedom: 1 or more. */
double harness_student_p(double t, double freedom);
double harness_student_95(double freedom);

#endif
