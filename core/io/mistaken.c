/* SPDX-License-Identifier: MIT */
/* Files that are not what their names say, as downloads, mail programs and other tools leave
   them. */
#define _GNU_SOURCE /* memmem */
#include "core/io/npz_internal.h"
#include "core/error.h"

#include <string.h>

#define PACKED(tool) "is packed by " tool "; unpack it first"
#define PICKLE       "is a pickle of Python; store plain arrays"
#define ANSWER \
 "is the answer of a server that did not find the file or refused it; download it again"

static const struct {
    int at;
    unsigned length;
    const char *bytes, *what;
} kinds[] = {
    {0, 23, "version https://git-lfs",
     "is a pointer of Git LFS, not the file itself; run git lfs "
     "pull in its repository"},
    {0, 6, "\x93NUMPY",
     "is a single array of numpy (.npy); store arrays together with numpy.savez"},
    {0, 4, "PK\3\4", "is a zip archive, as .npz files and checkpoints of PyTorch are"},
    {8, 2, "{\"", "is a safetensors file"},
    {0, 8, "\x89HDF\r\n\x1a\n", "is an HDF5 file"},
    {0, 2, "\x80\2", PICKLE},
    {0, 2, "\x80\3", PICKLE},
    {0, 2, "\x80\4", PICKLE},
    {0, 2, "\x80\5", PICKLE},
    {0, 2, "\x1f\x8b", PACKED("gzip")},
    {0, 3, "BZh", PACKED("bzip2")},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     PACKED("xz")},
    {0, 4, "\x28\xb5\x2f\xfd", PACKED("zstd")},
    {0, 6, "7z\xbc\xaf\x27\x1c", PACKED("7-Zip")},
    {257, 5, "ustar", PACKED("tar")},
    {0, 2, "\xff\xfe", "is a text in UTF-16; save it in UTF-8"},
    {0, 14, "404: Not Found", ANSWER},
    {0, 9, "Not Found", ANSWER},
    {0, 15, "Entry not found", ANSWER},
    {0, 13, "Access denied", ANSWER},
};

static int is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The rest of a text after its mark of UTF-8 and blanks. */
static const char *skip(const char *text, size_t *n)
{
    if (*n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) text += 3, *n -= 3;
    while (*n && is_space((unsigned char)*text)) text++, --*n;
    return text;
}

/* `word` has small letters. */
static int begins(const char *text, size_t n, const char *word)
{
    for (; *word; word++, text++, n--)
        if (!n || (*text >= 'A' && *text <= 'Z' ? *text + 'a' - 'A' : *text) != *word) return 0;
    return 1;
}

/* A picture in SVG is none. */
static int is_page(const char *text, size_t n)
{
    static const char *const first[] = {"<!doctype", "<html",  "<head", "<body",
                                        "<?xml",     "<error", "<!--"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (begins(text, n, first[i])) return !memmem(text, n, "<svg", 4);
    return 0;
}

/* An object of JSON whose first key is one of those in which servers tell an error. */
static int is_message(const char *text, size_t n)
{
    static const char *const key[] = {"error\"",  "errors\"",  "message\"",
                                      "detail\"", "success\"", "statuscode\""};
    if (!n || *text != '{') return 0;
    n--;
    text = skip(text + 1, &n);
    if (!n || *text != '"') return 0;
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (begins(text + 1, n - 1, key[i])) return 1;
    return 0;
}

static const char *name_kind(const char *all, size_t n)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (n >= (size_t)kinds[i].at + kinds[i].length &&
            !memcmp(all + kinds[i].at, kinds[i].bytes, kinds[i].length))
            return kinds[i].what;
    const char *text = skip(all, &n);
    if (is_page(text, n))
        return "is a web page or XML, perhaps the message of a server; look into it, and download "
               "the file again";
    return is_message(text, n) ? ANSWER : NULL;
}

const char *ag_file_mistaken(const char *path)
{
    char head[512];
    int64_t bytes;
    ag_failure why = {0};
    FILE *file = path ? ag__open_regular(path, &bytes, &why) : NULL;
    if (!file) return NULL;
    const size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    return name_kind(head, n);
}

void ag__say_mistaken(ag_failure *why, const char *path, const char *own)
{
    const char *what = ag_file_mistaken(path);
    if (!what || !strncmp(what, own, strlen(own))) return;
    why->status = AG_OK;
    ag_fail(why, AG_EDATA, "%s %s", ag_path_tail(path), what);
}
