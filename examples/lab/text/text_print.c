/* SPDX-License-Identifier: MIT */
/* Prints programs. */
#include "examples/lab/text/text_internal.h"

#include <string.h>

static void print_list(FILE *out, const char *name, const int *list, int n)
{
    fprintf(out, " %s={", name);
    for (int i = 0; i < n; i++) fprintf(out, "%s%d", i ? "," : "", list[i]);
    fprintf(out, "}");
}

static void print_slice(FILE *out, const lab_node *node)
{
    int n = node->shape.rank, usual = 1;
    for (int i = 0; i < n; i++) usual &= node->stride[i] == 1;
    print_list(out, "start", node->start, n);
    print_list(out, "limit", node->limit, n);
    if (!usual) print_list(out, "stride", node->stride, n);
}

static void print_padding(FILE *out, const lab_node *node)
{
    int low[LAB_RANK], high[LAB_RANK];
    for (int i = 0; i < node->shape.rank; i++) {
        low[i] = node->window[i].low;
        high[i] = node->window[i].high;
    }
    print_list(out, "low", low, node->shape.rank);
    print_list(out, "high", high, node->shape.rank);
}

static void print_attributes(FILE *out, const lab_node *node)
{
    switch (node->op) {
    case LAB_CONSTANT: fprintf(out, " value=%.9g", (double)node->value); break;
    case LAB_IOTA:
    case LAB_BROADCAST:
    case LAB_TRANSPOSE:
    case LAB_CONCATENATE:
    case LAB_REVERSE:
    case LAB_REDUCE: print_list(out, "dims", node->dims, node->n_dims); break;
    case LAB_SLICE: print_slice(out, node); break;
    case LAB_PAD: print_padding(out, node); break;
    case LAB_REDUCE_WINDOW:
    case LAB_CONVOLUTION: lab__print_windowed(out, node); break;
    case LAB_DOT:
        if (node->dot.batch) fprintf(out, " batch=%d", node->dot.batch);
        fprintf(out, " left=%d right=%d", node->dot.left, node->dot.right);
        break;
    default: break;
    }
    if (node->op == LAB_REDUCE || node->op == LAB_REDUCE_WINDOW)
        fprintf(out, " reducer=%s", node->reducer == LAB_MAX ? "max" : "sum");
}

/* A name that no earlier node has: its own, or one made of its op and number. */
static void choose_label(char label[LAB_NAME], const lab_names *taken, const lab_node *node, int i)
{
    snprintf(label, LAB_NAME, "%s", lab__is_name(node->name) ? node->name : "");
    for (int turn = 0; !label[0] || lab__names_find(taken, label) >= 0; turn++)
        if (turn)
            snprintf(label, LAB_NAME, "%s.%d.%d", lab_op_name(node->op), i, turn);
        else
            snprintf(label, LAB_NAME, "%s.%d", lab_op_name(node->op), i);
}

/* Without memory for names, nodes are named by their numbers. */
static void choose_labels(lab_names *names, const lab_program *p)
{
    char label[LAB_NAME];
    for (int i = 0; i < p->n; i++) {
        choose_label(label, names, &p->nodes[i], i);
        if (lab__names_add(names, label, NULL)) {
            lab__names_clear(names);
            return;
        }
    }
}

static void print_label(FILE *out, const lab_names *names, int i)
{
    if (names->n)
        fprintf(out, "%s", names->name[i]);
    else
        fprintf(out, "n%d", i);
}

void lab_text_print(FILE *out, const lab_program *p)
{
    lab_names names = {0};
    choose_labels(&names, p);
    fprintf(out, "program %s", p->name[0] ? p->name : "-");
    fprintf(out, p->family[0] ? " %s\n" : "%s\n", p->family);
    for (int i = 0; i < p->n; i++) {
        const lab_node *node = &p->nodes[i];
        print_label(out, &names, i);
        fprintf(out, " = %s %s(", lab__shape_text(node->shape).text, lab_op_name(node->op));
        for (int k = 0; k < node->n_operands; k++) {
            if (k) fprintf(out, ", ");
            print_label(out, &names, node->operand[k]);
        }
        fprintf(out, ")");
        print_attributes(out, node);
        fprintf(out, "\n");
    }
    lab__names_clear(&names);
}
