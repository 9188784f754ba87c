/* SPDX-License-Identifier: MIT */
/* Reads and writes manifest.json: the files of a folder, and how they were measured. */
#include "examples/lab/measure/manifest.h"

#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/files/files.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/file.h"
#include "examples/harness/files/folder.h"
#include "examples/harness/harness.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *lab_manifest_path(const lab_manifest *m, const char *name, const char *tail)
{
    return harness_format("%s/%s%s", m->folder, name, tail);
}

static json_t *part(const lab_manifest *m, const char *name)
{
    return json_object_get(m->root, name);
}

const char *lab_manifest_kind(const lab_manifest *m) { return json_string_value(part(m, "kind")); }

/* ---- plans ---- */

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

/* A folder has one plan. */
static ag_status plan_by(lab_manifest *m, int plan, ag_failure *why)
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

/* ---- loading and saving ---- */

void lab_manifest_free(lab_manifest *m)
{
    if (!m) return;
    json_decref(m->root);
    harness__unlock(&m->lock);
    harness_free(m);
}

static lab_manifest *make(const char *folder)
{
    lab_manifest *m = harness_alloc(sizeof *m);
    m->folder = harness_format("%s", folder);
    m->lock = -1;
    return m;
}

static ag_status load(lab_manifest *m, ag_failure *why)
{
    m->root = harness__load_json(lab_manifest_path(m, LAB_MANIFEST, ""), why);
    if (!m->root) return why->status;
    if (lab_manifest_plan(m) == PLANS)
        return ag_fail(why, AG_EDATA,
                       "%.200s/" LAB_MANIFEST " has a plan that this version does not know; use "
                       "strides, inner or axes, or a later version",
                       m->folder);
    if (lab_manifest_kind(m) && json_is_array(part(m, "machines")) &&
        json_is_object(part(m, "programs")) && json_is_object(part(m, "files")))
        return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "%.200s/" LAB_MANIFEST " has no kind, machines, programs and files, as lab "
                   "writes them; choose another folder",
                   m->folder);
}

lab_manifest *lab_manifest_load(const char *folder, ag_failure *why)
{
    lab_manifest *m = make(folder);
    load(m, why);
    return m;
}

static void use_machine(lab_manifest *m, json_t *machine)
{
    json_t *list = part(m, "machines");
    const int n = (int)json_array_size(list);
    while (m->machine < n && !json_equal(json_array_get(list, (size_t)m->machine), machine))
        m->machine++;
    if (m->machine == n) json_array_append(list, machine);
}

lab_manifest *lab_manifest_open(const char *folder, const char *kind, int plan, json_t *machine,
                                ag_failure *why)
{
    lab_manifest *m = make(folder);
    if (!harness__make_folder(folder, why) && !harness__check_writable(folder, why) &&
        !harness__lock_folder(&m->lock, folder, LOCK_EX | LOCK_NB, why)) {
        if (access(lab_manifest_path(m, LAB_MANIFEST, ""), F_OK) != 0)
            m->root = json_pack("{ss s[] s{} s{}}", "kind", kind, "machines", "programs", "files");
        else if (!load(m, why) && !strcmp(lab_manifest_kind(m), kind))
            ag_remove_leftovers(m->lock, NULL);
        else if (!why->status)
            ag_fail(why, AG_EUSE, "%.200s holds %.20s files; choose another --out for %s files",
                    folder, lab_manifest_kind(m), kind);
    }
    if (!why->status && !plan_by(m, plan, why)) use_machine(m, machine);
    json_decref(machine);
    return m;
}

/* Loads the manifest of a file's folder, unless it is in the list. Returns 0: it has none. */
static int add_folder(lab_manifest ***list, const char *file, ag_failure *why)
{
    char *folder = harness_text("%.*s", (int)(harness_files_base(file) - file) - 1, file);
    char *path = harness_text("%s/" LAB_MANIFEST, folder);
    const int there = access(path, F_OK) == 0;
    int known = !there;
    for (int i = 0; i < bag_count(*list); i++) known |= !strcmp((*list)[i]->folder, folder);
    if (!known) bag_add(*list, lab_manifest_load(folder, why));
    harness_free(path);
    harness_free(folder);
    return there;
}

lab_manifest **lab_manifests_load(const harness_paths *paths, ag_failure *why)
{
    lab_manifest **list = NULL;
    for (int i = 0; i < paths->count && !why->status; i++) {
        harness_files files = {0};
        struct stat about;
        int found = 0;
        if (!stat(paths->list[i], &about) && !S_ISDIR(about.st_mode))
            ag_fail(why, AG_EFILE, "%.200s is a file; name a folder that lab has made",
                    paths->list[i]);
        else
            harness_files_add(&files, paths->list[i], why);
        for (int k = 0; k < files.count && !why->status; k++)
            found |= add_folder(&list, files.path[k], why);
        if (!why->status && !found)
            ag_fail(why, AG_EFILE,
                    "%.200s: neither this folder nor one below it has a " LAB_MANIFEST
                    ", so it is not a data set of lab",
                    paths->list[i]);
        harness_files_free(&files);
    }
    return list;
}

void lab_manifests_free(lab_manifest **list)
{
    for (int i = 0; i < bag_count(list); i++) lab_manifest_free(list[i]);
    bag_free(list);
}

json_t *lab_real(double x)
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
    if (!harness__folder_stays(m->lock, m->folder, why))
        ag_save_file(lab_manifest_path(m, LAB_MANIFEST, ""), print_json, m->root, why);
    return why->status;
}

/* ---- files and programs ---- */

static int is_text(const json_t *facts, const char *key, const char *text)
{
    const char *is = json_string_value(json_object_get(facts, key));
    return is && strcmp(is, text) == 0;
}

static int is_dropped(const json_t *facts)
{
    return json_is_true(json_object_get(facts, "dropped"));
}

int lab_manifest_there(const lab_manifest *m, const char *name, const json_t *facts)
{
    char *path = harness_text("%s/%s.npz", m->folder, name); /* asked for again and again */
    const int there = !is_dropped(facts) && access(path, F_OK) == 0;
    harness_free(path);
    return there;
}

lab_files lab_manifest_files(const lab_manifest *m, const char *program)
{
    const char *name;
    json_t *facts;
    lab_files n = {0};
    json_object_foreach(part(m, "files"), name, facts)
    {
        if (!is_text(facts, "program", program)) continue;
        n.all++;
        n.dropped += is_dropped(facts);
        n.there += lab_manifest_there(m, name, facts);
    }
    return n;
}

int lab_manifest_done(const lab_manifest *m, const char *program)
{
    const lab_files n = lab_manifest_files(m, program);
    return json_object_get(part(m, "programs"), program) && n.all == n.there;
}

ag_status lab_manifest_same(const lab_manifest *m, const char *program, json_t *options,
                            ag_failure *why)
{
    const json_t *facts = json_object_get(part(m, "programs"), program),
                 *was = json_object_get(facts, "options");
    const char *option;
    json_t *value;
    const lab_files n = lab_manifest_files(m, program);
    if (n.all == n.dropped) return AG_OK;
    json_object_foreach(options, option, value)
    {
        const json_t *then = json_object_get(was, option);
        if (!then) then = json_object_get(facts, option);
        const double old = json_number_value(then), new = json_number_value(value);
        /* a larger --noise still accepts the files accepted before */
        if (!then || !(strcmp(option, "noise") == 0 ? old > new : old != new)) continue;
        return ag_fail(why, AG_EUSE,
                       "the files of %.60s in %.160s were made with --%s %.10g, but this call says "
                       "%.10g; take the same, or choose another --out",
                       program, ag_path_tail(m->folder), option, old, new);
    }
    return AG_OK;
}

void lab_manifest_record(lab_manifest *m, const char *name, const char *program, json_t *facts)
{
    char date[32];
    json_object_update_new(facts, json_pack("{ss si ss}", "program", program, "machine", m->machine,
                                            "date", lab_date(date)));
    json_object_set_new(part(m, "files"), name, facts);
}

int lab_manifest_has(const lab_manifest *m, const char *hash)
{
    const char *name;
    json_t *facts;
    json_object_foreach(part(m, "files"), name, facts)
    {
        if (is_text(facts, "hash", hash)) return 1;
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
        if (is_text(facts, "program", program) && !lab_manifest_there(m, name, facts))
            json_object_del(part(m, "files"), name);
    }
}
