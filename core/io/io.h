/* SPDX-License-Identifier: MIT */
/* core/io: the library's file formats (npz, safetensors, CSV), and files that are written whole or
 * not at all. Files are little-endian, and so is the machine. */
#ifndef AG_CORE_IO_H
#define AG_CORE_IO_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files that are written whole or not at all ---- */

/* Makes `path` hold what write(file, context) writes, or leaves it as it was: a temporary file in
   the same folder, fsync, rename, fsync of the folder. After a crash the old or the new contents
   are there, never a mixture. The mode of an existing file is kept (else 0644 without the bits of
   the umask); a symbolic link is replaced, not followed. `write` returns a status; write errors of
   the stream itself (a full disk) are found here. When `write` fails for a reason of its own it
   fills the same `why` through its context. Fails: AG_EFILE, AG_EMEMORY, or what `write` returned;
   the temporary file is removed. A killed process leaves its PATH.PID.N.tmp; the next save removes
   it. Calls that the file system lacks are skipped (ag_saves_lack). */
AG_API ag_status ag_save_file(const char *path, ag_status (*write)(FILE *file, void *context),
                              void *context, ag_failure *why);

/* The calls that file systems lacked in saves of this process so far, as a sum of these. */
enum {
    AG_LACKS_SYNC = 1,  /* fsync of a file or folder: a crash of the machine may lose a save */
    AG_LACKS_MODES = 2, /* fchmod: a file that is replaced may get another mode */
    AG_LACKS_RENAME = 4 /* rename: a crash while a file is replaced may lose it */
};
AG_API int ag_saves_lack(void);

/* fsync: 0, also if the file system lacks it, or -1 with errno. */
AG_API int ag_save_sync(int fd);

/* Removes files NAME.PID.N.tmp from an open folder if their writers have ended: no process here has
   the id PID, and no process anywhere holds the writer's lock. name NULL: any NAME. */
AG_API void ag_remove_leftovers(int folder, const char *name);

/* The last 200 characters of a path: what fits into a sentence. */
AG_API const char *ag_path_tail(const char *path);

/* If the first bytes show a kind of file that is often given by mistake (a pointer of Git LFS, a
   web page, the answer of a server, a packed file, another format), returns the end of an error
   sentence that begins with the file's name, such as "is a pointer of Git LFS, ...; run git lfs
   pull in its repository". NULL: they show none of these, or the file cannot be read. */
AG_API const char *ag_file_mistaken(const char *path);

/* ---- element types of arrays ---- */

typedef enum ag_dtype { AG_F32, AG_F64, AG_U8, AG_I8, AG_I32, AG_I64 } ag_dtype;

AG_API size_t ag_dtype_bytes(ag_dtype dtype);
AG_API const char *ag_dtype_name(ag_dtype dtype); /* "float32", "uint8", ... */

/* ---- npz files ---- */

/* The contents of an array's header. size[i] is 1 beyond rank. */
typedef struct ag_array_info {
    char name[64];  /* member name without ".npy" */
    ag_dtype dtype; /* the nearest type that holds what is stored */
    char stored[4]; /* the type in the file, as numpy names it: ">i2" */
    int rank;
    int64_t size[AG_MAX_AXES];
    int64_t count;
    int fortran; /* 1: stored with the first axis fastest (never at rank 0 and 1); reading restores
                    C order */
} ag_array_info;

/* Opens an npz file and reads the headers of its arrays: numbers of 1 to 8 bytes, integers and
   floats (bool as AG_U8, float16 as AG_F32, others as the nearest type that holds them; uint64 as
   AG_I64), either byte order, C or Fortran order; npy 1.0 to 3.0; stored or deflated; zip64; at
   most 64 arrays with names of 1 to 63 printable ASCII characters. As in numpy, other members are
   skipped (folders, hidden files, texts, Python objects); ag_npz_check says why. Only headers are
   inflated, and, to check the CRC, skipped members with names that end in .npy. A member that
   claims more than 1,032 times its compressed size, or more than byte_limit bytes, is refused.
   Returns NULL with `why` filled: AG_EFILE, AG_EDATA, AG_EMEMORY. */
typedef struct ag_npz ag_npz;
AG_API ag_npz *ag_npz_open(const char *path, size_t byte_limit, ag_failure *why);
/* The same for a file in memory, which must stay there until the npz is closed; name: for error
   sentences. */
AG_API ag_npz *ag_npz_open_bytes(const void *bytes, size_t count, const char *name,
                                 size_t byte_limit, ag_failure *why);
AG_API void ag_npz_close(ag_npz *npz);
AG_API int ag_npz_count(const ag_npz *npz);
AG_API const ag_array_info *ag_npz_info(const ag_npz *npz, int index);
AG_API const ag_array_info *ag_npz_find(const ag_npz *npz,
                                        const char *name); /* NULL: no such array */

/* Fails with the reason (AG_EDATA) if a member NAME.npy was skipped. AG_OK: the array can be read,
   or there is no such member. */
AG_API ag_status ag_npz_check(ag_npz *npz, const char *name, ag_failure *why);

/* Reads a whole member into `out` (count elements of type `as`, in C order), converting by value:
   integers between integer types and to float (rounded), floats only to float. Fails when a value
   does not fit (the error sentence has the value's index), when a float is wanted as an integer,
   when the stored CRC differs, or when there is no such member. */
AG_API ag_status ag_npz_read(ag_npz *npz, const char *name, ag_dtype as, void *out,
                             ag_failure *why);

/* Streams a member from its first row on (a row is all axes after the first) without
   holding more than one buffer of it. ag_rows_next fills `out` with n rows of type `as`; the call
   that reads the last row verifies the CRC (for an array without rows: a call with n = 0). A scalar
   is one row. An array in Fortran order does not keep its rows together: it is read from its
   beginning for every 32 MiB of rows. Several readers of one npz may take turns; close them before
   the npz. After a failure of the file a reader stays failed. */
typedef struct ag_rows ag_rows;
AG_API ag_rows *ag_rows_open(ag_npz *npz, const char *name, ag_failure *why);
AG_API ag_status ag_rows_next(ag_rows *rows, int64_t n, ag_dtype as, void *out, ag_failure *why);
AG_API void ag_rows_close(ag_rows *rows);

/* Writes an npz file: members are deflated in the order of the calls; the file appears under its
   name when ag_npz_finish succeeds (temporary file, fsync, rename), else not at all. ag_npz_add
   copies the values. finish and cancel free the writer. Equal arrays give equal bytes. Fails:
   AG_EUSE (name, dtype, rank), AG_ESHAPE (sizes), AG_EMEMORY, AG_EFILE. */
typedef struct ag_npz_writer ag_npz_writer;
AG_API ag_npz_writer *ag_npz_create(const char *path, ag_failure *why);
AG_API ag_status ag_npz_add(ag_npz_writer *writer, const char *name, ag_dtype dtype, int rank,
                            const int64_t *size, const void *data, ag_failure *why);
/* How members are deflated: from 1, the fastest, to 9, the smallest file and the default.
   Fails: AG_EUSE. */
AG_API ag_status ag_npz_level(ag_npz_writer *writer, int level, ag_failure *why);
AG_API ag_status ag_npz_finish(ag_npz_writer *writer, ag_failure *why);
/* Writes the file to a stream instead, such as one in memory. The caller then checks the stream for
   errors and calls ag_npz_cancel. Fails: AG_EFILE (libzip), AG_EMEMORY. */
AG_API ag_status ag_npz_write(ag_npz_writer *writer, FILE *file, ag_failure *why);
AG_API void ag_npz_cancel(ag_npz_writer *writer);

/* Reads one array of an npz file into memory, as elements of type `as`, in C order; *shape gets its
   shape. On entry *shape is the wanted shape: rank 0 for any, a size of 0 for any size. Free it
   with ag_free. NULL with `why` filled: as ag_npz_open and ag_npz_read fail, AG_EDATA for an array
   of another shape, AG_ESHAPE for a size above 2^31 - 1. */
AG_API void *ag_npz_load(const char *path, const char *name, ag_dtype as, ag_shape *shape,
                         ag_failure *why);

/* ---- tables of numbers in text ---- */

/* A CSV file: the first line names the columns, every other line is a row of numbers separated by
   commas. Fields may be quoted; empty lines are skipped. A text in place of a number is refused
   with its line and column. nan and inf are numbers. NULL with `why` filled: AG_EFILE,
   AG_EDATA, AG_ESHAPE (2^31 bytes and more), AG_EMEMORY. */
typedef struct ag_csv {
    int rows, columns;
    char **name;    /* [columns] */
    ag_real *value; /* [rows, columns] */
    char *text;     /* holds the names */
} ag_csv;
AG_API ag_csv *ag_csv_load(const char *path, ag_failure *why);
AG_API int ag_csv_column(const ag_csv *csv, const char *name); /* -1: no such column */
AG_API void ag_csv_free(ag_csv *csv);

/* ---- safetensors files (docs/formats.md) ---- */

/* A tensor to write, or one that a file holds (then data is in the checkpoint and may be
 * unaligned). */
typedef struct ag_checkpoint_item {
    const char *name;
    ag_dtype dtype;
    ag_shape shape;
    const void *data; /* may be NULL when the shape has no elements */
} ag_checkpoint_item;

typedef struct ag_checkpoint_pair {
    const char *key, *value; /* value: any UTF-8 text */
} ag_checkpoint_pair;

/* Writes items and metadata with XXH3 checksums of every tensor and of the header. The file appears
   under its name complete and durable, or not at all (what was there stays). Tensor names and keys:
   1 to 255 printable ASCII characters without space; keys may not begin with "xxh3". Fails:
   AG_EUSE, AG_ESHAPE, AG_EMEMORY, AG_EFILE. */
AG_API ag_status ag_checkpoint_save(const char *path, const ag_checkpoint_item *items, int n,
                                    const ag_checkpoint_pair *metadata, int pairs, ag_failure *why);

/* Reads a whole file into memory and checks all of it: the header, that the tensors fill the file
   exactly, and checksums if it has them. F16 and BF16 become AG_F32. NULL with `why` filled:
   AG_EFILE, AG_EDATA, AG_EMEMORY. */
typedef struct ag_checkpoint ag_checkpoint;
AG_API ag_checkpoint *ag_checkpoint_open(const char *path, ag_failure *why);
AG_API void ag_checkpoint_close(ag_checkpoint *checkpoint);

AG_API int
ag_checkpoint_verified(const ag_checkpoint *checkpoint); /* 1: checksums were there (and right) */
AG_API int ag_checkpoint_count(const ag_checkpoint *checkpoint); /* tensors */
AG_API const ag_checkpoint_item *ag_checkpoint_at(const ag_checkpoint *checkpoint,
                                                  int index); /* in file order */
AG_API const ag_checkpoint_item *ag_checkpoint_find(const ag_checkpoint *checkpoint,
                                                    const char *name);

/* Copies a tensor to `out`, which must have the type and shape of the file. Fails: AG_EDATA (no
   such tensor, other type), AG_ESHAPE. */
AG_API ag_status ag_checkpoint_read(const ag_checkpoint *checkpoint, const char *name,
                                    ag_dtype dtype, ag_shape shape, void *out, ag_failure *why);

/* Metadata by key (NULL: no such key), and by index in file order without the checksums (returns 0
 * past the end). */
AG_API const char *ag_checkpoint_metadata(const ag_checkpoint *checkpoint, const char *key);
AG_API int ag_checkpoint_metadata_at(const ag_checkpoint *checkpoint, int index,
                                     ag_checkpoint_pair *pair);

/* ---- JSON ---- */

/* The first place where lists and objects are nested deeper than AG_JSON_DEPTH; NULL: none. Check
   the text of a file before parsing it: parsers recurse, and jansson overflows a stack of 128 KiB
   before the depth of 2048 that it allows. */
enum { AG_JSON_DEPTH = 64 };
AG_API const char *ag_json_too_deep(const char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
