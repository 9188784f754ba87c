/* SPDX-License-Identifier: MIT */
#include "examples/lab/measure/manifest.h"

#include "core/io/io.h"
#include "examples/harness/harness.h"
#include "examples/harness/run/run_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *lab_manifest_path(const lab_manifest *m, const char *name, const char *tail)
{
    return harness_text("%s/%s%s", m->folder, name, tail);
}

static json_t *part(const lab_manifest *m, const char *name)
{
    return json_object_get(m->root, name);
}

/* The words of --plan. The first is not recorded. */
static const char *const plans[] = {"strides", "inner", "axes"};
enum { PLANS = sizeof plans / sizeof *plans };

int lab_manifest_plan(const lab_manifest *m)
{
    const char *word = json_string_value(part(m, "plan"));
    int plan = 0;
    while (word && plan < PLANS && strcmp(word, plans[plan]) != 0) plan++;
    return plan;
}

ag_status lab_manifest_plan_by(lab_manifest *m, int plan, ag_failure *why)
{
    const int was = lab_manifest_plan(m);
    if (was == plan) return AG_OK;
    if (json_object_size(part(m, "files")))
        return ag_fail(why, AG_EUSE,
                       "the files of %.160s were made with --plan %s, but this call says %s; take "
                       "the same, or choose another --out",
                       ag_path_tail(m->folder), plans[was], plans[plan]);
    json_object_del(m->root, "plan");
    if (plan) json_object_set_new(m->root, "plan", json_string(plans[plan]));
    return AG_OK;
}

static ag_status check(const lab_manifest *m, ag_failure *why)
{
    const char *kind = json_string_value(part(m, "kind"));
    if (lab_manifest_plan(m) == PLANS)
        return ag_fail(why, AG_EDATA,
                       "%.200s/" LAB_MANIFEST " has a plan that this version does not know; use "
                       "strides, inner or axes, or a later version",
                       m->folder);
    if (kind && json_is_array(part(m, "machines")) && json_is_object(part(m, "programs")) &&
        json_is_object(part(m, "files")))
        return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "%.200s/" LAB_MANIFEST " has no kind, machines, programs and files, as lab "
                   "writes them; choose another folder",
                   m->folder);
}

void lab_manifest_free(lab_manifest *m)
{
    if (!m) return;
    json_decref(m->root);
    harness__unlock_folder(&m->lock);
    harness_free(m->folder);
    harness_free(m);
}

static lab_manifest *make(const char *folder)
{
    lab_manifest *m = harness_alloc(sizeof *m);
    m->folder = harness_copy(folder);
    m->lock = -1;
    return m;
}

static ag_status load(lab_manifest *m, ag_failure *why)
{
    char *path = lab_manifest_path(m, LAB_MANIFEST, "");
    m->root = harness__load_json(path, why);
    harness_free(path);
    return m->root ? check(m, why) : why->status;
}

lab_manifest *lab_manifest_load(const char *folder, ag_failure *why)
{
    lab_manifest *m = make(folder);
    if (!load(m, why)) return m;
    lab_manifest_free(m);
    return NULL;
}

static int machine_index(lab_manifest *m, json_t *machine)
{
    json_t *list = part(m, "machines");
    size_t i = 0;
    while (i < json_array_size(list) && !json_equal(json_array_get(list, i), machine)) i++;
    if (i == json_array_size(list)) json_array_append(list, machine);
    return (int)i;
}

/* Reads the manifest that exists, in a folder that no other program writes to. */
static ag_status open_existing(lab_manifest *m, const char *kind, ag_failure *why)
{
    if (load(m, why)) return why->status;
    const char *is = lab_manifest_kind(m);
    if (strcmp(is, kind) != 0)
        return ag_fail(why, AG_EUSE, "%.200s holds %.20s files; choose another --out for %s files",
                       m->folder, is, kind);
    ag_remove_leftovers(m->lock, NULL);
    return AG_OK;
}

lab_manifest *lab_manifest_open(const char *folder, const char *kind, json_t *machine,
                                ag_failure *why)
{
    lab_manifest *m = make(folder);
    char *path = lab_manifest_path(m, LAB_MANIFEST, "");
    if (!harness__make_folder(folder, why) && !harness__check_writable(folder, why) &&
        !harness__lock_folder(&m->lock, folder, why)) {
        if (access(path, F_OK) == 0)
            open_existing(m, kind, why);
        else
            m->root = json_pack("{ss s[] s{} s{}}", "kind", kind, "machines", "programs", "files");
    }
    harness_free(path);
    if (!why->status) m->machine = machine_index(m, machine);
    json_decref(machine);
    if (!why->status) return m;
    lab_manifest_free(m);
    return NULL;
}

struct json_t *lab_real(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return isfinite(x) ? json_real(strtod(text, NULL)) : json_null();
}

static ag_status print_json(FILE *file, void *root)
{
    json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(5));
    fputc('\n', file);
    return AG_OK;
}

ag_status lab_manifest_save(const lab_manifest *m, ag_failure *why)
{
    if (harness__folder_stays(m->lock, m->folder, why)) return why->status;
    char *path = lab_manifest_path(m, LAB_MANIFEST, "");
    ag_status status = ag_save_file(path, print_json, m->root, why);
    harness_free(path);
    return status;
}

const char *lab_manifest_kind(const lab_manifest *m) { return json_string_value(part(m, "kind")); }

static int of_program(const json_t *facts, const char *program)
{
    const char *is = json_string_value(json_object_get(facts, "program"));
    return is && strcmp(is, program) == 0;
}

static int is_dropped(const json_t *facts)
{
    return json_is_true(json_object_get(facts, "dropped"));
}

int lab_manifest_there(const lab_manifest *m, const char *name, const json_t *facts)
{
    char *path = lab_manifest_path(m, name, ".npz");
    const int there = !is_dropped(facts) && access(path, F_OK) == 0;
    harness_free(path);
    return there;
}

int lab_manifest_done(const lab_manifest *m, const char *program)
{
    const char *name;
    json_t *facts;
    int done = json_object_get(part(m, "programs"), program) != NULL;
    json_object_foreach(part(m, "files"), name, facts)
    {
        if (done && of_program(facts, program)) done = lab_manifest_there(m, name, facts);
    }
    return done;
}

int lab_manifest_count(const lab_manifest *m, const char *program, int dropped)
{
    const char *name;
    json_t *facts;
    int n = 0;
    json_object_foreach(part(m, "files"), name, facts)
    {
        n += of_program(facts, program) && (!dropped || is_dropped(facts));
    }
    return n;
}

/* A larger --noise than before is no contradiction, since it still accepts the files accepted
   before. */
static int contradicts(const char *option, const json_t *was, const json_t *is)
{
    if (!json_is_number(was)) return 0;
    if (strcmp(option, "noise") == 0) return json_number_value(was) > json_number_value(is);
    return json_number_value(was) != json_number_value(is);
}

ag_status lab_manifest_same(const lab_manifest *m, const char *program, const json_t *options,
                            ag_failure *why)
{
    const json_t *facts = json_object_get(part(m, "programs"), program),
                 *was = json_object_get(facts, "options");
    const char *option;
    json_t *is;
    if (lab_manifest_count(m, program, 0) == lab_manifest_count(m, program, 1)) return AG_OK;
    json_object_foreach((json_t *)(uintptr_t)options, option, is)
    {
        const json_t *then = json_object_get(was, option);
        if (!then) then = json_object_get(facts, option);
        if (!contradicts(option, then, is)) continue;
        return ag_fail(why, AG_EUSE,
                       "the files of %.60s in %.160s were made with --%s %.10g, but this call says "
                       "%.10g; take the same, or choose another --out",
                       program, ag_path_tail(m->folder), option, json_number_value(then),
                       json_number_value(is));
    }
    return AG_OK;
}

void lab_manifest_program(lab_manifest *m, const char *program, json_t *facts)
{
    json_object_set_new(part(m, "programs"), program, facts);
}

void lab_manifest_file(lab_manifest *m, const char *name, const char *program, json_t *facts)
{
    char date[32];
    json_object_set_new(facts, "program", json_string(program));
    json_object_set_new(facts, "machine", json_integer(m->machine));
    json_object_set_new(facts, "date", json_string(lab_date(date)));
    json_object_set_new(part(m, "files"), name, facts);
}

int lab_manifest_has(const lab_manifest *m, const char *hash)
{
    const char *name;
    json_t *facts;
    json_object_foreach(part(m, "files"), name, facts)
    {
        const char *is = json_string_value(json_object_get(facts, "hash"));
        if (is && strcmp(is, hash) == 0) return 1;
    }
    return 0;
}

void lab_manifest_forget(lab_manifest *m, const char *program)
{
    const char *name;
    void *next;
    json_t *facts;
    json_object_del(part(m, "programs"), program);
    json_object_foreach_safe(part(m, "files"), next, name, facts)
    {
        if (of_program(facts, program) && !lab_manifest_there(m, name, facts))
            json_object_del(part(m, "files"), name);
    }
}
