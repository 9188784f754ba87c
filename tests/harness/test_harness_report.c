/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "support/harness_demo.h"
#include "support/files.h"
#include "support/table_text.h"

#include <jansson.h>
#include <sys/stat.h>

static void tables(void **state)
{
    harness_table *t = harness_table_new("Scores <1>");
    for (int i = 0; i < 2; i++) {
        harness_table_text(t, "file", i ? "c" : "a,\"b\" <\xC3\xA4>");
        harness_table_count(t, "n", i ? 1 : 12345);
        harness_table_number(t, "tau", i ? (double)NAN : 0.5, 3);
    }
    assert_int_equal(harness_table_rows(t), 2);
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    harness_table_print(to, t);
    harness_table_csv(to, t);
    harness_table_html(to, t);
    harness_csv_quoted(to, "c");
    harness_csv_quoted(to, "\"b\"");
    fclose(to);
    assert_string_equal(text, "Scores <1>\n"
                              "file           n    tau\n"
                              "a,\"b\" <\xC3\xA4>  12345  0.500\n"
                              "c              1      -\n"
                              "file,n,tau\n\"a,\"\"b\"\" <\xC3\xA4>\",12345,0.5\nc,1,\n"
                              "<div class=\"table\"><table><caption>Scores &lt;1&gt;</caption>\n"
                              "<thead><tr><th>file</th><th class=\"n\">n</th><th "
                              "class=\"n\">tau</th></tr></thead>\n<tbody>\n"
                              "<tr><td>a,&quot;b&quot; &lt;\xC3\xA4&gt;</td><td "
                              "class=\"n\">12345</td><td class=\"n\">0.500</td></tr>\n"
                              "<tr><td>c</td><td class=\"n\">1</td><td "
                              "class=\"n\">-</td></tr>\n</tbody></table></div>\n"
                              "\"c\"\"\"\"b\"\"\"");
    free(text);
    json_t *json = harness_table_json(t);
    text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(
        text, "[{\"file\":\"a,\\\"b\\\" "
              "<\xC3\xA4>\",\"n\":12345,\"tau\":0.5},{\"file\":\"c\",\"n\":1,\"tau\":null}]");
    free(text);
    json_decref(json);
    harness_table_free(t);
}

/* A long first cell gets a line of its own, so that lines have at most 80 characters. */
static void narrow(void **state)
{
    harness_table *t = harness_table_new("");
    char name[100] = "";
    harness_table_narrow(t);
    for (int i = 0; i < 65; i++) strcat(name, "v");
    for (int i = 0; i < 2; i++) {
        harness_table_text(t, "variant", i ? "short" : name);
        harness_table_number(t, "a number", 1, 4);
        harness_table_number(t, "another", 2, 4);
    }
    char *text = table_text(harness_table_print, &t, 1);
    assert_non_null(strstr(text, "vvv\n           1.0000   2.0000\nshort      1.0000   2.0000\n"));
    free(text);
    harness_table_free(t);
}

/* Everything that LaTeX takes for a command, and a minus that is not a hyphen. */
static void latex(void **state)
{
    harness_table *t[2];
    char *text;
    size_t bytes;
    for (int i = 0; i < 2; i++) {
        t[i] = harness_table_new(i ? "second" : "5 % & more");
        harness_table_text(t[i], "v_1", i ? "\xC3\xA4\x1b" : "a\\b{c}~^#$<d>|\"e\"");
        harness_table_number(t[i], "x", i ? -1.25e-7 : -0.5, i ? HARNESS_TWO_FIGURES : 2);
        harness_table_count(t[i], "n", -3);
    }
    harness_table_text(t[1], "v_1", "none");
    harness_table_number(t[1], "x", (double)NAN, 2);
    harness_table_count(t[1], "n", 0);
    FILE *to = open_memstream(&text, &bytes);
    harness_tables_tex(to, t, 2);
    fclose(to);
    assert_string_equal(
        text, "\\begin{tabular}{lrr}\n\\hline\nv\\_1 & x & n \\\\\n\\hline\n"
              "\\multicolumn{3}{l}{\\emph{5 \\% \\& more}} \\\\\n"
              "a\\textbackslash{}b\\{c\\}\\textasciitilde{}\\textasciicircum{}\\#\\$"
              "\\textless{}d\\textgreater{}\\textbar{}''e'' & $-0.50$ & $-3$ \\\\\n\\hline\n"
              "\\multicolumn{3}{l}{\\emph{second}} \\\\\n"
              "\xC3\xA4\\textbackslash{}x1b & $-1.2\\cdot10^{-7}$ & $-3$ \\\\\n"
              "none & -- & $0$ \\\\\n\\hline\n\\end{tabular}\n");
    free(text);
    for (int i = 0; i < 2; i++) harness_table_free(t[i]);
}

static void progress(void **state)
{
    char text[200];
    harness_progress_text(text, sizeof text, 80, "train", 25, 100, 25, 50, "loss 0.5");
    assert_string_equal(
        text, "train  25% ######..................... 25/100 [00:50<02:30, 2.00 s/it] loss 0.5");
    assert_int_equal(strlen(text), 79);
    harness_progress_text(text, sizeof text, 80, "train", 0, 100, 0, 0, NULL);
    assert_non_null(strstr(text, "  0% ...."));
    assert_non_null(strstr(text, " 0/100 [00:00<--:--, -- s/it]"));
    harness_progress_text(text, sizeof text, 80, "eval", 150, 100, 150, 0.01, NULL);
    assert_non_null(strstr(text, "100% ####"));
    harness_progress_text(text, sizeof text, 120, "eval", 5000, 100000, 5000, 1000, NULL);
    assert_non_null(strstr(text, "[16:40<5:16:40, 5.0 it/s]"));
    harness_progress_text(text, sizeof text, 30, "a long label", 1, 0, 1, 1,
                          "a note that does not fit");
    assert_true(strlen(text) <= 29);
    /* a resumed run: the rate counts the steps of this call */
    harness_progress_text(text, sizeof text, 80, "train", 60, 100, 10, 5, NULL);
    assert_non_null(strstr(text, "60/100 [00:05<00:20, 2.0 it/s]"));
    harness_progress p;
    harness_progress_start(&p, "x", 0, 10);
    harness_log_start("demo", true);
    harness_progress_start(&p, "x", 0, 10);
    assert_false(p.shown);
    harness_progress_update(&p, 3, "");
    harness_progress_end(&p);
}

/* On a screen of 390 pixels with a margin of 16 on each side no picture has to be scrolled: they
   shrink to 0.64 of their width, at which words can still be read. */
static void expect_fit_a_phone(const char *page)
{
    static const char *const plots[] = {"learning", "scatter", "bars", "dots", "lines"};
    assert_non_null(strstr(page, "main{padding:1.5rem 1rem 3rem}"));
    assert_non_null(strstr(page, "figure div{min-width:calc(.64*var(--w))}"));
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++) {
        char *script = files_text(files_folder, formatted("plots/%s.gp", plots[i]));
        int width = 0;
        assert_int_equal(sscanf(script, "set terminal svg size %d,", &width), 1);
        assert_true(width > 0 && 0.64 * width < 390 - 2 * 16 + 1);
        free(script);
    }
}

static void plots_and_report(void **state)
{
    ag_failure why = {0};
    const char *folder = files_folder;
    double x[3] = {1, 2, 3}, y[3] = {3, 2, 1};
    harness_log_start("demo", true);
    harness_plot_curves(folder, "learning", "it's", (harness_curve){"loss", x, y, 3},
                        (harness_curve){"tau", x, x, 3}, &why);
    harness_plot_scatter(folder, "scatter", "s", "x", "y", x, y, 3, &why);
    harness_plot_bars(
        folder, "bars", "b", "l",
        (harness_bar[]){{"a\tb", 1, true}, {"c", (double)NAN, true}, {"d", -1, false}}, 3, &why);
    harness_plot_dots(folder, "dots", "d", "l", (const char *[]){"a", "b", "c"},
                      (double[]){1, 2, (double)NAN, (double)NAN, (double)NAN, 4}, 3, 2, &why);
    harness_plot_curves(folder, "none", "n", (harness_curve){0}, (harness_curve){0}, &why);
    const harness_curve lines[] = {{"it's", x, y, 3}, {"none", NULL, NULL, 0}, {"b", x, x, 2}};
    harness_plot_lines(folder, "lines", "l", "x", "y", lines, 3, &why);
    /* only the last of them has points */
    harness_plot_lines(folder, "late", "l", "x", "y", &lines[1], 2, &why);
    assert_int_equal(why.status, AG_OK);
    char *many = files_text(folder, "plots/lines.tsv");
    assert_string_equal(many, "1\t3\n2\t2\n3\t1\n\n\n1\t1\n2\t2\n\n\n");
    free(many);
    many = files_text(folder, "plots/lines.gp");
    assert_non_null(strstr(many, "title 'it''s'"));
    assert_non_null(strstr(many, "index 1 using 1:2 with lines"));
    assert_null(strstr(many, "index 2 "));
    free(many);
    char *data = files_text(folder, "plots/bars.tsv"),
         *script = files_text(folder, "plots/learning.gp");
    assert_string_equal(data, "d\t-1\t0\t0xa9b2be\na\\x09b\t1\t1\t0x2f6fb5\n");
    assert_non_null(strstr(script, "set label 'it''s' at screen 0.5,"));
    free(data);
    free(script);
    data = files_text(folder, "plots/dots.tsv");
    assert_string_equal(data, "c\t4\t?\t4\na\t1.5\t1\t2\n"); /* b has none */
    free(data);
    int drawn = system("gnuplot --version > /dev/null 2>&1") == 0;
    static const char *const made[] = {"learning", "scatter", "bars", "lines", "late", "dots"};
    for (int i = 0; i < 6; i++) {
        char *svg = files_text(folder, formatted("plots/%s.svg", made[i]));
        assert_true(!drawn || (svg && strstr(svg, "</svg>")));
        free(svg);
    }
    harness_options *o = harness_options_new(&demo, HARNESS_TRAIN, NULL);
    assert_int_equal(harness_options_set(o, NULL, "steps", "7", &why), AG_OK);
    harness_table *t = harness_table_new("Scores");
    harness_table_text(t, "file", "f & g");
    harness_report r = {
        .folder = folder,
        .title = "A <run>",
        .summary = "What & why.",
        .command_line = "demo train '<x>'",
        .options = o,
        .facts = (harness_named[]){{"tau", "0.85"}, {NULL, NULL}},
        .plots = (harness_named[]){{"learning", "The loss."}, {"absent", NULL}, {NULL, NULL}},
        .tables = (harness_table *[]){t, NULL},
        .notes = (const char *[]){"Read it so.", NULL}};
    assert_int_equal(harness_report_write(&r, &why), AG_OK);
    char *page = files_text(folder, "report.html");
    static const char *const parts[] = {"<h1>A &lt;run&gt;</h1>",
                                        "What &amp; why.",
                                        "<b>0.85</b><span>tau</span>",
                                        "f &amp; g",
                                        "plots/absent.tsv",
                                        "Read it so.",
                                        "demo train '&lt;x&gt;'",
                                        "learning-rate",
                                        "The loss."};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(page, parts[i]));
    assert_true(!drawn || strstr(page, "<div style=\"--w:560px\"><svg"));
    expect_fit_a_phone(page);
    assert_null(strstr(page, "<title>Gnuplot"));
    assert_null(strstr(page, "src="));
    free(page);
    harness_table_free(t);
    harness_options_free(o);
    assert_int_equal(harness_plot_bars("/dev/null", "b", "b", "l", NULL, 0, &why), AG_EFILE);
}

/* Of 1,001 points, the means of three each, and of the last two. */
static void long_curves(void **state)
{
    enum { N = 1001 };
    static const char *const data[] = {"plots/run.tsv", "plots/study.tsv"};
    double x[N], y[N];
    ag_failure why = {0};
    for (int i = 0; i < N; i++) y[i] = 2 * (x[i] = i);
    const harness_curve c = {"loss", x, y, N};
    harness_plot_curves(files_folder, "run", "t", c, (harness_curve){0}, &why);
    harness_plot_lines(files_folder, "study", "t", "x", "y", &c, 1, &why);
    assert_int_equal(why.status, AG_OK);
    for (int i = 0; i < 2; i++) {
        char *text = files_text(files_folder, data[i]);
        int rows = 0;
        for (const char *row = text; *row && *row != '\n'; row = strchr(row, '\n') + 1) rows++;
        assert_int_equal(rows, 334);
        assert_int_equal(strncmp(text, "1\t2\n4\t8\n", 8), 0);
        assert_non_null(strstr(text, "\n997\t1994\n999.5\t1999\n\n\n"));
        free(text);
    }
}

/* Titles and names of any length stay within the picture. */
static void long_words(void **state)
{
    ag_failure why = {0};
    char title[400] = "Order of the held-out configurations of ", name[100] = "";
    const double one[2] = {1, 2};
    for (int i = 0; i < 90; i++) strcat(title, "\xC3\xA4"); /* 90 characters, 180 bytes */
    for (int i = 0; i < 70; i++) strcat(name, i < 35 ? "a" : "b");
    harness_plot_scatter(files_folder, "long", title, "x", "y", one, one, 2, &why);
    harness_plot_bars(files_folder, "names", "t", "l",
                      (harness_bar[]){{name, one[0], true}, {"c", one[1], false}}, 2, &why);
    assert_int_equal(why.status, AG_OK);
    char *script = files_text(files_folder, "plots/long.gp"), *line = script;
    int lines = 0, letters = 0;
    for (; (line = strstr(line, "set label '")); lines++) {
        int length = 0;
        for (line += strlen("set label '"); *line != '\''; line++)
            if ((*line & 0xC0) != 0x80) length++, letters += *line == (char)0xC3;
        assert_in_range(length, 1, 520 / 8); /* pixels of the picture, of a letter */
        assert_int_equal(strncmp(line, "' at screen 0.5,screen 0.", 25), 0);
    }
    assert_int_equal(lines, 3);
    assert_int_equal(letters, 90); /* broken between characters, none lost */
    free(script);
    char *data = files_text(files_folder, "plots/names.tsv");
    assert_non_null(strstr(data, "\naaaaaaaaaaaaaaaaaaaaaa...bbbbbbbbbbbbbbbbb\t1\t"));
    free(data);
    script = files_text(files_folder, "plots/names.gp");
    assert_non_null(strstr(script, "set xtics 0.5\n"));
    assert_non_null(strstr(script, "set lmargin at screen 0.6286\n")); /* 44 letters of 8 pixels */
    free(script);
}

/* The page with one picture, drawn by a gnuplot in a folder of a relative PATH; the caller frees
   it. */
static char *page_drawn_by(const char *gnuplot)
{
    ag_failure why = {0};
    const double x[2] = {1, 2};
    const harness_report r = {.folder = files_folder,
                              .title = "t",
                              .plots = (harness_named[]){{"only", NULL}, {NULL, NULL}}};
    files_put(files_path("plots/only.svg"), "<svg>an old one</svg>", 21);
    assert_int_equal(files_put(files_path("bin/gnuplot"), gnuplot, strlen(gnuplot)), 0);
    assert_int_equal(chmod(files_path("bin/gnuplot"), 0755), 0);
    harness_plot_scatter(files_folder, "only", "t", "x", "y", x, x, 2, &why);
    harness_report_write(&r, &why);
    assert_int_equal(why.status, AG_OK);
    return files_text(files_folder, "report.html");
}

/* No old picture is shown, and what the user has set does not count. */
static void pictures_are_of_the_run_alone(void **state)
{
    static const char settings[] = "#!/bin/sh\nfor script; do :; done\n"
                                   "echo \"<svg>$1 $GNUTERM,$LC_ALL.</svg>\" >${script%.gp}.svg\n";
    static const char *const bad[] = {
        "#!/bin/sh\nexit 0\n", "#!/bin/sh\necho '<svg>half</svg>' >only.svg\nexit 1\n",
        "#!/bin/sh\necho '<svg>half' >only.svg\n", "#!/bin/sh\nexit 127\n"};
    char *const path = strdup(getenv("PATH")), *const here = getcwd(NULL, 0);
    assert_int_equal(chdir(files_folder), 0);
    mkdir("plots", 0777);
    assert_int_equal(mkdir("bin", 0777), 0);
    setenv("PATH", "bin:/usr/bin:/bin", 1);
    setenv("GNUTERM", "dumb", 1);
    char *page = page_drawn_by(settings);
    assert_non_null(strstr(page, "<svg>-d ,C.</svg>"));
    free(page);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        page = page_drawn_by(bad[i]);
        assert_non_null(strstr(page, "This picture needs gnuplot"));
        assert_null(strstr(page, "<svg"));
        free(page);
    }
    unsetenv("GNUTERM");
    setenv("PATH", path, 1);
    assert_int_equal(chdir(here), 0);
    free(path);
    free(here);
}

int main(void)
{
    return RUN_TESTS_WITH(files_make, files_remove, tables, latex, narrow, progress,
                          plots_and_report, long_curves, long_words, pictures_are_of_the_run_alone);
}
