/* SPDX-License-Identifier: MIT */
/* Prints programs. */
#include "examples/lab/text/text_internal.h"

/* A name that no earlier node has: its own, or one made of its op and number. */
static void choose_label(char label[LAB_NAME], lab_name **taken, const lab_node *node, int i)
{
    snprintf(label, LAB_NAME, "%s", lab__is_name(node->name) ? node->name : "");
    for (int turn = 0; !label[0] || map_find(*taken, label) >= 0; turn++)
        if (turn)
            snprintf(label, LAB_NAME, "%s.%d.%d", lab_op_name(node->op), i, turn);
        else
            snprintf(label, LAB_NAME, "%s.%d", lab_op_name(node->op), i);
}

void lab_text_print(FILE *out, const lab_program *p)
{
    lab_name *names = NULL; /* in the order of the nodes */
    map_owns(names);
    fprintf(out, "program %s", p->name[0] ? p->name : "-");
    fprintf(out, p->family[0] ? " %s\n" : "%s\n", p->family);
    for (int i = 0; i < p->n; i++) {
        const lab_node *node = &p->nodes[i];
        char label[LAB_NAME];
        choose_label(label, &names, node, i);
        map_add(names, label, i);
        fprintf(out, "%s = %s %s(", label, lab__shape_text(node->shape).text,
                lab_op_name(node->op));
        for (int k = 0; k < node->n_operands; k++)
            fprintf(out, "%s%s", k ? ", " : "", names[node->operand[k]].key);
        fprintf(out, ")");
        lab__print_attributes(out, node);
        fprintf(out, "\n");
    }
    map_free(names);
}
