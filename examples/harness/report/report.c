/* SPDX-License-Identifier: MIT */
/* report.html: a run, or a study, on one self-contained page. */
#include "examples/harness/cli/options_internal.h"

#include "core/io/io.h"
#include "examples/harness/machine/device.h"
#include "examples/harness/report/report.h"

#include <string.h>

static void element(FILE *to, const char *tag, const char *text)
{
    fprintf(to, "<%s>", tag);
    harness_html_text(to, text);
    fprintf(to, "</%s>\n", tag);
}

static void write_facts(FILE *to, const harness_named *fact)
{
    fputs("<ul class=\"facts\">\n", to);
    for (; fact->name; fact++) {
        fputs("<li><b>", to);
        harness_html_text(to, fact->text);
        fputs("</b><span>", to);
        harness_html_text(to, fact->name);
        fputs("</span></li>\n", to);
    }
    fputs("</ul>\n", to);
}

/* The picture within the page: without the XML declaration and without gnuplot's title, which
   browsers show as a tooltip. */
static void inline_svg(FILE *to, const char *svg)
{
    const char *start = strstr(svg, "<svg"), *title = start ? strstr(start, "<title>") : NULL;
    const char *end = title ? strstr(title, "</title>") : NULL;
    const char *box = start ? strstr(start, "viewBox=\"") : NULL;
    int width = 760;
    if (!start) return;
    if (box) sscanf(box, "viewBox=\"0 0 %d", &width);
    fprintf(to, "<div style=\"--w:%dpx\">", width);
    if (end) {
        fwrite(start, 1, (size_t)(title - start), to);
        start = end + strlen("</title>");
    }
    fputs(start, to);
    fputs("</div>", to);
}

static void figure(FILE *to, const char *folder, const harness_named *plot)
{
    const char *name = plot->name, *path = harness_format("%s/plots/%s.svg", folder, name);
    size_t bytes;
    ag_failure none = {0};
    char *svg = harness__read_file(path, (size_t)64 << 20, &bytes, &none);
    fputs("<figure>", to);
    if (svg && strstr(svg, "</svg>")) /* else the disk was full */
        inline_svg(to, svg);
    else
        fprintf(to,
                "<p>This picture needs gnuplot; its data are in <a "
                "href=\"plots/%s.tsv\">plots/%s.tsv</a>.</p>",
                name, name);
    if (plot->text) element(to, "figcaption", plot->text);
    fputs("</figure>\n", to);
    harness_free(svg);
}

static void option_row(FILE *to, const harness_options *o, const harness_option *option,
                       bool changed)
{
    const char *value = harness_option_text(o, option);
    fprintf(to, "<tr><td><code>%s</code></td><td class=\"v\">%s", option->name,
            changed ? "<b>" : "");
    harness_html_text(to, value ? value : "-");
    fprintf(to, "%s</td><td class=\"v soft\">", changed ? "</b>" : "");
    harness_html_text(to, option->help ? option->help : "");
    fputs("</td></tr>\n", to);
}

/* Options that config.json lacks are shown only when they differ from the default, and those that
   have no effect are not shown. */
static void option_rows(FILE *to, const harness_options *o, const char *files)
{
    fputs("<p class=\"soft\">Bold values are not the default.</p>\n"
          "<div class=\"table\"><table><thead><tr><th>option</th><th>value</th><th>what it "
          "is</th></tr></thead>\n<tbody>\n",
          to);
    harness_options *defaults = harness_options_new(o->program, o->command, NULL);
    for (int i = 0; i < o->program->option_count; i++) {
        const harness_option *option = &o->program->options[i];
        if (!(option->commands & o->command) || !harness_option_acts(o, option, files)) continue;
        const bool changed = !harness__equal(o, defaults, option);
        if (changed || !(option->flags & HARNESS_LOCAL)) option_row(to, o, option, changed);
    }
    harness_options_free(defaults);
    fputs("</tbody></table></div>\n", to);
}

static void head(FILE *to, const harness_report *r)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          to);
    harness_html_text(to, r->title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", harness_style);
    element(to, "h1", r->title);
    if (r->summary) element(to, "p", r->summary);
}

static ag_status write_page(FILE *to, void *context)
{
    const harness_report *r = context;
    head(to, r);
    if (r->facts) write_facts(to, r->facts);
    if (r->plots) element(to, "h2", "Pictures");
    for (int i = 0; r->plots && r->plots[i].name; i++) figure(to, r->folder, &r->plots[i]);
    if (r->tables) element(to, "h2", "Scores");
    for (int i = 0; r->tables && r->tables[i]; i++) harness_table_html(to, r->tables[i]);
    if (r->notes) element(to, "h2", "How to read the numbers");
    for (int i = 0; r->notes && r->notes[i]; i++) element(to, "p", r->notes[i]);
    if (r->command_line) {
        element(to, "h2", "How to do it again");
        element(to, "pre", r->command_line);
        if (r->options) element(to, "p", harness_device_report(r->folder, r->options));
    }
    if (r->options) {
        element(to, "h2", "Configuration");
        option_rows(to, r->options, r->files);
    }
    fputs("</main>\n</body>\n</html>\n", to);
    return AG_OK;
}

ag_status harness_report_write(const harness_report *r, ag_failure *why)
{
    harness_report page = *r;
    const char *path = harness_format("%s/%s", r->folder, r->file ? r->file : HARNESS_REPORT);
    return ag_save_file(path, write_page, &page, why);
}
