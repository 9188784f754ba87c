/* SPDX-License-Identifier: MIT */
/* `lab show` and `lab families`. */
#include "examples/lab/nets/families.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/lab/lab.h"
#include "examples/lab/collect/sources.h"
#include "examples/lab/text/text.h"

/* The summary is printed after '#', which the reader of texts skips, so the output is a text
   itself. */
static void show(const lab_program *p)
{
    int of_op[LAB_OPS] = {0};
    int64_t elements = 0;
    for (int i = 0; i < p->n; i++) {
        of_op[p->nodes[i].op]++;
        elements += lab_elements(p->nodes[i].shape);
    }
    printf("# %s of family %s: %d nodes, %d with layouts to choose, %lld elements\n#", p->name,
           p->family, p->n, lab_configurable_nodes(NULL, p), (long long)elements);
    for (int op = 0; op < LAB_OPS; op++)
        if (of_op[op]) printf(" %s %d", lab_op_name((lab_op)op), of_op[op]);
    printf("\n");
    lab_text_print(stdout, p);
}

ag_status lab_show_command(harness_call *call, ag_failure *why)
{
    lab_settings s = *(lab_settings *)call->values;
    if (!s.text.count == !s.family)
        return ag_fail(why, AG_EUSE,
                       "lab show wants either text files or --family NAME; \"lab families\" lists "
                       "the names");
    s.families = s.family;
    s.programs = 1;
    s.first = s.number;
    lab_source *list = lab_sources(&s, why);
    for (int i = 0; i < bag_count(list) && !why->status; i++) {
        lab_program p = {0};
        if (!lab_source_program(&p, &list[i], s.milliseconds, why)) show(&p);
        lab_program_clear(&p);
    }
    lab_sources_free(list);
    return why->status;
}

ag_status lab_families_command(harness_call *call, ag_failure *why)
{
    harness_table *table = harness_table_new("");
    (void)call;
    (void)why;
    for (int i = 0; i < lab_n_families; i++) {
        harness_table_text(table, "family", lab_families[i].name);
        harness_table_text(table, "what", lab_families[i].text);
    }
    harness_table_print(stdout, table);
    harness_table_free(table);
    return AG_OK;
}
