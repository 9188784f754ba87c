/* SPDX-License-Identifier: MIT */
/* Checks a program that was made elsewhere against all rules of the builders. */
#include "examples/lab/program/program_internal.h"

#include <stdio.h>
#include <string.h>

static ag_status check_node(const lab_program *p, int i, ag_failure *why)
{
    char where[LAB_NAME + 40];
    lab_site site = {p, &p->nodes[i], where, why};
    lab_shape shape;
    snprintf(where, sizeof where, "program %.63s, node %d", p->name, i);
    return lab__shape(&shape, &site, i, 1);
}

ag_status lab_program_check(const lab_program *p, ag_failure *why)
{
    ag_failure own = {0}; /* of this call alone */
    if (!memchr(p->name, 0, LAB_NAME) || !memchr(p->family, 0, LAB_NAME))
        ag_fail(&own, AG_EUSE, "A program's name or family has no end within %d bytes", LAB_NAME);
    else if ((p->name[0] && !lab__is_name(p->name)) || (p->family[0] && !lab__is_name(p->family)))
        ag_fail(&own, AG_EUSE,
                "A program's name or family has characters besides letters, digits and _ . -");
    else if (p->why.status)
        own = p->why;
    else if (p->n < 1 || p->n > LAB_NODES || !p->nodes)
        ag_fail(&own, AG_EUSE, "program %.63s: it has %d nodes; 1 to %d are possible", p->name,
                p->n, LAB_NODES);
    for (int i = 0; !own.status && i < p->n; i++) check_node(p, i, &own);
    return own.status ? ag_fail(why, own.status, "%s", own.sentence) : AG_OK;
}
