/* SPDX-License-Identifier: MIT */
/* Looking at a tape: the plan as text, the recorded ops as a Graphviz graph. */
#include "autograd/tape.h"
#include "core/shape.h"

#include <string.h>

static ag_plan *plan_for(ag_tensor *y, int training)
{
    if (!ag__usable(y, "A plan")) return NULL;
    return ag__plan_find(y->tape, y, training);
}

static void print_ref(FILE *file, const char *what, ag_ref ref)
{
    if (ref.place == AT_SLAB) fprintf(file, " %s@%lld", what, (long long)ref.offset);
    if (ref.place == AT_TILE) fprintf(file, " %s@tile", what);
    if (ref.place == AT_PARAM_GRADIENT) fprintf(file, " %s@parameter", what);
}

static void print_job(const ag_tape *tape, const ag_job *job, int group, FILE *file)
{
    char text[64];
    fprintf(file, "  %c %-28s", group ? '|' : ' ', job->kernel ? job->kernel->name : "zero");
    if (job->node >= 0) {
        const ag_node *node = &tape->nodes[job->node];
        for (int i = 0; i < node->n_in; i++)
            fprintf(file, " %s", ag_shape_text(text, job->args.xs[i]));
        fprintf(file, " -> %s", ag_shape_text(text, job->args.ys[0]));
    }
    for (int j = 0; j < AG_MAX_OUT; j++) print_ref(file, "y", job->y[j]);
    print_ref(file, job->adds ? "dx+" : "dx", job->dx);
    print_ref(file, job->adds_also ? "also+" : "also", job->also);
    fputc('\n', file);
}

void ag_plan_print(ag_tensor *y, int training, FILE *file)
{
    const ag_plan *plan = plan_for(y, training);
    if (!file) return;
    if (!plan) {
        fprintf(file, "no plan: %s\n",
                y ? ag_error(y->tape) : "the tensor is NULL; give the one that a run would want");
        return;
    }
    int64_t gradients = 0;
    for (int s = 0; s < plan->n_steps; s++) {
        if (s == 0 || plan->steps[s].backward != plan->steps[s - 1].backward)
            fprintf(file, "%s\n", plan->steps[s].backward ? "backward" : "forward");
        for (int k = 0; k < plan->steps[s].n; k++)
            print_job(y->tape, &plan->jobs[plan->steps[s].first + k], plan->steps[s].n > 1, file);
    }
    for (int i = 0; i < y->tape->n_tensors; i++) {
        const int id = plan->gradient_buffer[i];
        if (id >= 0 && !plan->buffers[id].tile) gradients += plan->buffers[id].bytes;
    }
    fprintf(file,
            "%d ops in %d steps; slab %lld bytes; saved for backward %lld bytes; gradients %lld "
            "bytes\n",
            plan->nodes, plan->n_steps, (long long)plan->slab_bytes, (long long)plan->saved_bytes,
            (long long)gradients);
    for (int i = 0; i < y->tape->n_tensors; i++) {
        const ag_tensor *t = y->tape->tensors[i];
        const int id = plan->value_buffer[i];
        char text[64];
        if (id >= 0 && plan->buffers[id].saved && t->node >= 0)
            fprintf(file, "  saved: %s %s, %lld bytes\n", y->tape->nodes[t->node].op->name,
                    ag_shape_text(text, t->shape), (long long)plan->buffers[id].bytes);
    }
}

/* Inputs that have a place in the slab of a device. */
static int64_t input_bytes(const ag_tape *tape, const ag_plan *plan)
{
    int64_t sum = 0;
    for (int i = 0; tape->device != AG_CPU && i < tape->n_tensors; i++) {
        const ag_buffer *place = ag__input_place(tape, plan, i);
        if (place) sum += (place->bytes + 255) / 256 * 256;
    }
    return sum;
}

ag_plan_summary ag_plan_of(ag_tensor *y, int training)
{
    ag_plan_summary summary = {0};
    const ag_plan *plan = plan_for(y, training);
    if (!plan) return summary;
    summary.nodes = plan->nodes;
    summary.steps = plan->n_steps;
    summary.slab = (size_t)plan->slab_bytes;
    summary.saved = (size_t)plan->saved_bytes;
    summary.inputs = (size_t)input_bytes(y->tape, plan);
    summary.plans_made = y->tape->plans_made;
    return summary;
}

/* A label inside double quotes: quotes and backslashes are escaped. */
static void print_quoted(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', file);
        fputc(*text, file);
    }
}

void ag_tape_dot(const ag_tape *tape, FILE *file)
{
    char text[64];
    if (!file) return;
    fprintf(file, "digraph tape {\n  rankdir=TB;\n  node [fontname=\"Helvetica\"];\n");
    for (int i = 0; tape && i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        if (t->node >= 0) continue;
        fprintf(file, "  t%d [shape=%s, label=\"", i,
                t->param ? "box, style=filled, fillcolor=lightyellow" : "box");
        print_quoted(file, t->name ? t->name : t->is_int ? "int32 input" : "input");
        fprintf(file, "\\n%s\"];\n", ag_shape_text(text, t->shape));
    }
    for (int k = 0; tape && k < tape->n_nodes; k++) {
        const ag_node *node = &tape->nodes[k];
        fprintf(file, "  n%d [shape=ellipse, label=\"%s\\n%s\"];\n", k, node->op->name,
                ag_shape_text(text, tape->tensors[node->out[0]]->shape));
        for (int i = 0; i < node->n_in; i++) {
            const ag_tensor *x = tape->tensors[node->in[i]];
            fprintf(file, "  %c%d -> n%d;\n", x->node < 0 ? 't' : 'n',
                    x->node < 0 ? x->id : x->node, k);
        }
    }
    fprintf(file, "}\n");
}
