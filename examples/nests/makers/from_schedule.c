/* SPDX-License-Identifier: MIT */
/* Files of measured schedules: an item is a schedule of a task. A row is a statement that stores,
   and its work is the cycles that its loops are estimated to take (examples/tpgnn/nest). */
#include "examples/harness/base/bag.h"
#include "examples/harness/harness.h"
#include "examples/nests/maker.h"
#include "examples/nests/makers/rows_file.h"
#include "examples/tpgnn/rows/rows.h"

/* Rows are made once: training asks for those of each schedule again and again. */
typedef struct schedules {
    tpgnn_data data;
    int64_t *time;   /* [3, schedules] the run time; that of the first pass, the second measurement;
                        of the second pass, with which it is compared */
    nests_rows rows; /* of all schedules, of which each is an item */
    nests_rows_file table; /* the same, as nests_table_take reads them */
} schedules;

static ag_status make_rows(schedules *own, tpugraphs_budget *budget, ag_failure *why)
{
    const tpgnn_data *from = &own->data;
    nests_rows *r = &own->rows;
    size_t room = 1;
    for (int i = 0; i < from->schedules; i++)
        room += (size_t)nests_schedule_stores(from, &from->schedule[i]);
    const size_t bytes = room * (NESTS_SCHEDULE_ROW * sizeof *r->x + sizeof *r->work);
    if (tpugraphs_fits(budget, bytes, "files of schedules", "the table of their rows", why))
        return why->status;
    budget->used += bytes;
    nests_rows_clear(r);
    bag_reserve(r->x, room * NESTS_SCHEDULE_ROW); /* a bag that grows may take twice as much */
    for (int i = 0; i < from->schedules && harness_go_on(why); i++)
        nests_schedule_rows_add(r, from, &from->schedule[i]);
    own->table = (nests_rows_file){.rows = r->rows,
                                   .x = r->x,
                                   .work = r->work,
                                   .first = HARNESS_NEW(own->table.first, r->items + 1)};
    for (int i = 0; i <= r->items; i++) own->table.first[i] = r->first[i];
    return why->status;
}

static ag_status read_schedules(nests_data *data, const harness_files *paths, ag_failure *why)
{
    schedules *own = data->own = harness_alloc(sizeof *own);
    tpgnn_data *from = &own->data;
    from->budget = data->budget;
    tpgnn_data_add(from, paths, why);
    data->budget = from->budget;
    data->families = from->families;
    data->family = from->family;
    data->hash = from->hash;
    data->items = from->schedules;
    data->columns = NESTS_SCHEDULE_ROW;
    const int n = from->schedules;
    own->time = HARNESS_NEW(own->time, 3 * (size_t)n);
    int64_t *second = own->time + n, *first = second + n;
    for (int i = 0; i < n; i++) {
        own->time[i] = from->schedule[i].runtime;
        second[i] = from->schedule[i].pass[0];
        first[i] = from->schedule[i].pass[1];
    }
    data->group = HARNESS_NEW(data->group, from->tasks);
    for (int i = 0; i < from->tasks; i++) {
        const tpgnn_task *t = &from->task[i];
        data->group[data->groups++] = (nests_group){.name = t->name,
                                                    .items = t->schedules,
                                                    .family = t->family,
                                                    .runtime = own->time + t->first,
                                                    .second = second + t->first,
                                                    .first = first + t->first,
                                                    .source = &own->table,
                                                    .start = t->first};
    }
    return why->status ? why->status : make_rows(own, &data->budget, why);
}

static void drop_schedules(nests_data *data)
{
    schedules *own = data->own;
    harness_free(data->group);
    if (!own) return;
    tpgnn_data_free(&own->data);
    data->budget = own->data.budget;
    nests_rows_free(&own->rows);
    harness_free(own->table.first);
    harness_free(own->time);
    harness_free(own);
}

const nests_maker nests_from_schedule = {.name = "schedule",
                                         .items = "schedules",
                                         .array = "schedule_runtime",
                                         .read = read_schedules,
                                         .drop = drop_schedules,
                                         .rows = nests_table_take};
