/* SPDX-License-Identifier: MIT */
/* Prints every case of the op table as a line of JSON, for tests/golden/make_ops.py. */
#include "support/op_runner.h"
#include "ops/table.h"

static void print_shape(ag_shape s)
{
    printf("\"shape\": [");
    for (int i = 0; i < s.rank; i++) printf("%s%d", i ? ", " : "", s.size[i]);
    printf("], \"values\": [");
}

static void print_inputs(const op_trial *t)
{
    for (int i = 0; i < t->n_in; i++) {
        printf("%s{\"name\": \"x%d\", \"dtype\": \"%s\", ", i ? ", " : "", i,
               t->is_int[i] ? "int32" : "real");
        print_shape(t->xs[i]);
        for (int64_t k = 0; k < t->x_count[i]; k++)
            if (t->is_int[i])
                printf("%s%d", k ? ", " : "", (int)t->ints[i][k]);
            else
                printf("%s%.17g", k ? ", " : "", t->x[i][k]);
        printf("]}");
    }
}

/* Prints one for every real output of the formula. */
static void print_cotangents(const op_trial *t)
{
    int printed = 0;
    for (int j = 0; j < t->n_out; j++) {
        if (!t->shown[j] || t->out_int[j]) continue;
        printf("%s{", printed++ ? ", " : "");
        print_shape(t->ys[j]);
        for (int64_t k = 0; k < t->y_count[j]; k++) printf("%s%.17g", k ? ", " : "", t->c[j][k]);
        printf("]}");
    }
}

int main(void)
{
    const ag_op *op;
    char why[480];
    for (int i = 0; (op = ag__op(i)) != NULL; i++)
        for (int index = 0; index < op->n_cases; index++) {
            op_trial *t = ag64__trial_new(op->name, index, why);
            if (!t) {
                fprintf(stderr, "%s case %d: %s\n", op->name, index, why);
                return 1;
            }
            printf("{\"op\": \"%s\", \"case\": %d, \"inputs\": [", op->name, index);
            print_inputs(t);
            printf("], \"attr\": {\"f\": [%.17g, %.17g, %.17g, %.17g], \"i\": [%d, %d, %d, %d]}, ",
                   t->f[0], t->f[1], t->f[2], t->f[3], t->i[0], t->i[1], t->i[2], t->i[3]);
            printf("\"cotangents\": [");
            print_cotangents(t);
            printf("]}\n");
            ag64__trial_free(t);
        }
    return 0;
}
