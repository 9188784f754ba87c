/* SPDX-License-Identifier: MIT */
/* A training that begins with the network of another run (--init). */
#include "examples/harness/model/trained.h"
#include "core/error.h"
#include "core/shape.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

ag_status harness__initial_load(harness_trained *from, const harness_session *s, ag_failure *why)
{
    if (!s->settings->init) return AG_OK;
    /* The scales of a run that goes on are in its own checkpoint: the other may be gone. */
    const char *last = harness_format("%s/" HARNESS_LAST, s->folder),
               *path = s->resumes && !access(last, F_OK)
                           ? last
                           : harness_checkpoint_at(s->settings->init, why);
    return path ? harness_trained_load(from, s->model, path, why) : why->status;
}

/* Shapes say nothing of an option like --direction, or like --log-features, by which scales are
   those of other numbers. */
static bool means(const harness_option *o)
{
    const char *group = harness_option_group(o);
    return strcmp(group, "Model") == 0 || (strcmp(group, "Data") == 0 && o->type == HARNESS_BOOL);
}

static void warn_options(const harness_session *s, const harness_trained *from)
{
    const harness_program *program = s->model->program;
    json_t *theirs = harness_json_loads(from->configuration, NULL),
           *ours = harness_options_json(s->options);
    for (int i = 0; i < program->option_count; i++) {
        const harness_option *o = &program->options[i];
        const json_t *a = json_object_get(theirs, o->name), *b = json_object_get(ours, o->name);
        if (a && b && means(o) && !json_equal(a, b))
            harness_warn("%s was trained with another --%s; its weights may mean little here",
                         from->path, o->name);
    }
    json_decref(theirs);
    json_decref(ours);
}

static ag_status refuse(const harness_trained *from, const char *name, const ag_shape *theirs,
                        ag_shape ours, ag_failure *why)
{
    char have[64], want[64];
    return ag_fail(why, AG_EUSE,
                   "--init %.160s: %s is %s there, but this model needs %s; give the options and "
                   "the kind of files that it was trained with",
                   from->path, name, theirs ? ag_shape_text(have, *theirs) : "missing",
                   ag_shape_text(want, ours));
}

static ag_status take_params(ag_params *to, const harness_trained *from, ag_failure *why)
{
    for (int i = 0; i < to->count && !why->status; i++) {
        const ag_param *p = to->list[i], *q = ag_params_find(from->params, p->name);
        if (!q || !ag_shape_equal(p->shape, q->shape))
            refuse(from, p->name, q ? &q->shape : NULL, p->shape, why);
        else if (p->count)
            memcpy(p->value, q->value, (size_t)p->count * sizeof *p->value);
    }
    return why->status;
}

static ag_status take_tensors(void *net, const harness_trained *from, ag_failure *why)
{
    const harness_network *n = from->model->network;
    ag_checkpoint_item to[HARNESS_TENSORS], of[HARNESS_TENSORS];
    const int count = n->tensors ? n->tensors(to, net) : 0,
              given = n->tensors ? n->tensors(of, from->net) : 0;
    for (int i = 0; i < count && !why->status; i++) {
        int k = 0;
        while (k < given && strcmp(to[i].name, of[k].name) != 0) k++;
        if (k == given || !ag_shape_equal(to[i].shape, of[k].shape))
            refuse(from, to[i].name, k == given ? NULL : &of[k].shape, to[i].shape, why);
        else if (to[i].data)
            memcpy((void *)(uintptr_t)to[i].data, of[k].data,
                   (size_t)ag_shape_count(to[i].shape) * ag_dtype_bytes(to[i].dtype));
    }
    return why->status;
}

ag_status harness__values_take(harness_trained *to, const harness_trained *from, ag_failure *why)
{
    return take_params(to->params, from, why) ? why->status : take_tensors(to->net, from, why);
}

ag_status harness__initial_take(harness_session *s, const harness_trained *from, ag_failure *why)
{
    if (harness__values_take(&s->trained, from, why)) return why->status;
    warn_options(s, from);
    s->initial = true;
    return AG_OK;
}
