/* SPDX-License-Identifier: MIT */
/* core/io: the library's file formats (npz, safetensors, CSV), and files that are written whole or
   not at all. The library writes little-endian files, and runs only on little-endian machines. */
#ifndef AG_CORE_IO_H
#define AG_CORE_IO_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files that are written whole or not at all ---- */

/* Makes `path` hold what write(file, context) writes, or leaves `path` as it was. It writes a
   temporary file in the same folder, calls fsync, renames the file, and calls fsync for the folder.
   After a crash, `path` has the old or the new contents, never a mixture. An existing file keeps
   its mode; a new one gets 0644 without the bits of the umask. A symbolic link is replaced, not
   followed. `write` returns a status. ag_save_file itself finds write errors of the stream, such as
   a full disk; if `write` fails for another reason, it must itself fill `why`, which it gets
   through its context. Fails: AG_EFILE, AG_EMEMORY, or what `write` returned; the temporary file is
   then removed. A killed process leaves its temporary file, PATH.PID.N.tmp, which the next save
   removes. Calls that the file system lacks are skipped (ag_saves_lack). */
AG_API ag_status ag_save_file(const char *path, ag_status (*write)(FILE *file, void *context),
                              void *context, ag_failure *why);

/* Calls that a file system may lack. ag_saves_lack returns the sum of the values of all calls that
   this process has found missing while it saved files. */
enum {
    AG_LACKS_SYNC = 1,  /* fsync of a file or folder: a crash of the machine may lose a save */
    AG_LACKS_MODES = 2, /* fchmod: a file that is replaced may get another mode */
    AG_LACKS_RENAME = 4 /* rename: a crash while a file is replaced may lose it */
};
AG_API int ag_saves_lack(void);

/* Calls fsync. Returns 0, even if the file system lacks fsync; on failure, -1 with errno set. */
AG_API int ag_save_sync(int fd);

/* Removes files NAME.PID.N.tmp from an open folder if their writers have ended: no process on this
   machine has the id PID, and no process anywhere holds the writer's lock. name NULL: any NAME. */
AG_API void ag_remove_leftovers(int folder, const char *name);

/* The last 200 characters of a path, which fit into a sentence. */
AG_API const char *ag_path_tail(const char *path);

/* Recognises, from the first bytes, files that are often given by mistake: a pointer of Git LFS, a
   web page, the answer of a server, a packed file, another format. Returns the end of an error
   sentence that begins with the file's name, such as "is a pointer of Git LFS, ...; run git lfs
   pull in its repository". NULL: the file is none of these, or it cannot be read. */
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
    int fortran; /* 1: stored with the first axis fastest (never at rank 0 or 1); reading restores
                    C order */
} ag_array_info;

/* Opens an npz file and reads the headers of its arrays. Their elements are integers or floats of 1
   to 8 bytes, in either byte order and in C or Fortran order. bool is read as AG_U8, float16 as
   AG_F32, uint64 as AG_I64, any other type as the nearest that holds it. Arrays are npy 1.0 to 3.0,
   stored or deflated; zip64 is read, too. There are at most 64 arrays, with names of 1 to 63
   printable ASCII characters. As in numpy, other members (folders, hidden files, texts, Python
   objects) are skipped; ag_npz_check says why. Opening inflates only the header of an array; a
   skipped member NAME.npy is inflated whole, to check its CRC. A member is refused if it claims to
   inflate to more than 1,032 times its compressed size, or to more than byte_limit bytes. Returns
   NULL with `why` filled: AG_EFILE, AG_EDATA, AG_EMEMORY. */
typedef struct ag_npz ag_npz;
AG_API ag_npz *ag_npz_open(const char *path, size_t byte_limit, ag_failure *why);
/* The same for a file in memory, which must stay there until the npz is closed. Error sentences
   call it `name`. */
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

/* Reads a whole member into `out` (count elements of type `as`, in C order). It converts integers
   to other integer types and to floats (rounded), and floats only to floats. Fails when a value
   does not fit (the error sentence has the value's index), when floats are wanted as integers, when
   the stored CRC differs, or when there is no such member. */
AG_API ag_status ag_npz_read(ag_npz *npz, const char *name, ag_dtype as, void *out,
                             ag_failure *why);

/* Reads a member row by row, from the first one on, with one buffer in memory. A row has all axes
   but the first; a scalar is one row. ag_rows_next fills `out` with n rows of type `as`; the call
   that reads the last row verifies the CRC (in an array without rows, a call with n = 0 does). An
   array in Fortran order does not keep its rows together, so it is read again from its beginning
   for every 32 MiB of rows. Several readers of one npz may take turns; close them before the npz.
   After a failure to read or convert values, the reader refuses further reads. */
typedef struct ag_rows ag_rows;
AG_API ag_rows *ag_rows_open(ag_npz *npz, const char *name, ag_failure *why);
AG_API ag_status ag_rows_next(ag_rows *rows, int64_t n, ag_dtype as, void *out, ag_failure *why);
AG_API void ag_rows_close(ag_rows *rows);

/* Writes an npz file of deflated members, in the order of the calls. The file appears under its
   name only when ag_npz_finish succeeds, which saves as ag_save_file does. ag_npz_add copies the
   values. ag_npz_finish and ag_npz_cancel free the writer. Equal arrays give equal bytes. Fails:
   AG_EUSE (name, dtype, rank), AG_ESHAPE (sizes), AG_EMEMORY, AG_EFILE. */
typedef struct ag_npz_writer ag_npz_writer;
AG_API ag_npz_writer *ag_npz_create(const char *path, ag_failure *why);
AG_API ag_status ag_npz_add(ag_npz_writer *writer, const char *name, ag_dtype dtype, int rank,
                            const int64_t *size, const void *data, ag_failure *why);
/* Sets how members are deflated: 1 is the fastest; 9, the default, gives the smallest file. Fails:
   AG_EUSE. */
AG_API ag_status ag_npz_level(ag_npz_writer *writer, int level, ag_failure *why);
AG_API ag_status ag_npz_finish(ag_npz_writer *writer, ag_failure *why);
/* Writes the file to a stream instead, such as one in memory. The caller then checks the stream for
   errors and calls ag_npz_cancel. Fails: AG_EFILE (libzip), AG_EMEMORY. */
AG_API ag_status ag_npz_write(ag_npz_writer *writer, FILE *file, ag_failure *why);
AG_API void ag_npz_cancel(ag_npz_writer *writer);

/* Reads one array of an npz file into memory, converted to type `as`, in C order. Before the call
   *shape is the shape that the array must have (rank 0 allows any shape, a size of 0 any size);
   after it, the shape that it has. Free the result with ag_free. Fails (NULL, with `why` filled) as
   ag_npz_open and ag_npz_read do, with AG_EDATA for another shape, and with AG_ESHAPE for a size
   above 2^31 - 1. */
AG_API void *ag_npz_load(const char *path, const char *name, ag_dtype as, ag_shape *shape,
                         ag_failure *why);

/* ---- tables of numbers in text ---- */

/* A CSV file: the first line names the columns, every other line is a row of numbers separated by
   commas. Fields may be quoted; empty lines are skipped. A text in place of a number is an error,
   and the sentence has its line and column. nan and inf are numbers. NULL with `why` filled:
   AG_EFILE, AG_EDATA, AG_ESHAPE (a file of 2^31 bytes or more), AG_EMEMORY. */
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

/* A tensor to write, or a tensor of an open checkpoint. A checkpoint owns the data of its tensors,
   which may be unaligned. */
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
   under its name only when it is complete and durable; after a failure an older file stays. Tensor
   names and keys: 1 to 255 printable ASCII characters without space; keys may not begin with
   "xxh3". Fails: AG_EUSE, AG_ESHAPE, AG_EMEMORY, AG_EFILE. */
AG_API ag_status ag_checkpoint_save(const char *path, const ag_checkpoint_item *items, int n,
                                    const ag_checkpoint_pair *metadata, int pairs, ag_failure *why);

/* Reads a whole file into memory and checks all of it: the header, that the tensors fill the file
   exactly, and checksums if it has them. F16 and BF16 become AG_F32. NULL with `why` filled:
   AG_EFILE, AG_EDATA, AG_EMEMORY. */
typedef struct ag_checkpoint ag_checkpoint;
AG_API ag_checkpoint *ag_checkpoint_open(const char *path, ag_failure *why);
AG_API void ag_checkpoint_close(ag_checkpoint *checkpoint);

AG_API int
ag_checkpoint_verified(const ag_checkpoint *checkpoint); /* 1: it has checksums that are right */
AG_API int ag_checkpoint_count(const ag_checkpoint *checkpoint); /* tensors */
AG_API const ag_checkpoint_item *ag_checkpoint_at(const ag_checkpoint *checkpoint,
                                                  int index); /* in file order */
AG_API const ag_checkpoint_item *ag_checkpoint_find(const ag_checkpoint *checkpoint,
                                                    const char *name);

/* Copies a tensor to `out`, which must have the type and shape of the file. Fails: AG_EDATA (no
   such tensor, other type), AG_ESHAPE. */
AG_API ag_status ag_checkpoint_read(const ag_checkpoint *checkpoint, const char *name,
                                    ag_dtype dtype, ag_shape shape, void *out, ag_failure *why);

/* The value of a key of the metadata; NULL: no such key. ag_checkpoint_metadata_at gives the pair
   at an index in file order, not counting the checksums, and returns 0 past the end. */
AG_API const char *ag_checkpoint_metadata(const ag_checkpoint *checkpoint, const char *key);
AG_API int ag_checkpoint_metadata_at(const ag_checkpoint *checkpoint, int index,
                                     ag_checkpoint_pair *pair);

/* ---- JSON ---- */

/* The first place where lists and objects are nested deeper than AG_JSON_DEPTH; NULL: none. Check
   the text of a file before parsing it: parsers recurse, and jansson overflows a stack of 128 KiB
   before it reaches the depth of 2048 that it allows. */
enum { AG_JSON_DEPTH = 64 };
AG_API const char *ag_json_too_deep(const char *text, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
