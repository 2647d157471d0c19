// Package blockstore reads and writes rows in files: Parquet, Arrow IPC, NPY, NPZ, CSV, JSON lines,
// libsvm, and a column store of its own. [Open] returns one
// [github.com/nystream/nystream/stream.Source] for any mixture of files, globs, folders and pipes.
// [Create] writes a file in most of these formats.
//
// Package [github.com/nystream/nystream/blockstore/graph] reads graphs, and package
// [github.com/nystream/nystream/blockstore/archive] stores models.
//
// Each call of these functions stands alone. A [Session] connects several: it remembers files and
// objects, and bounds the disk space of temporary files.
//
// Whatever the format, a source guarantees the following:
//
//   - It never yields fewer rows than its Info states without an error.
//   - A damaged file is an error that names the file, never a panic.
//   - A file that was changed, replaced or removed since it was opened is a
//     [stream.DataError], when reading begins and when it ends. Files are compared
//     by device, inode, size and time, so rewriting the same content is a change.
//   - Nothing is written under its final name before it is complete.
//
// # Inside
//
// Package internal/formats has the table of all formats. Their readers and writers are internal
// packages that do not depend on each other:
//
//   - parquet: `parquet`
//   - arrow: `arrow` and `arrow-stream`
//   - npy: `npy` and `npz`
//   - text: `csv`, `tsv`, `jsonl` and `libsvm`
//   - store: `nys`, the column store
//
// A format opens a file as a column.Table, turns a choice of its columns into a source, and writes
// rows through a column.Encoder. Everything independent of the format is in this package: resolving
// column selections, matching the columns of the first file in the others, concatenating files,
// folders k=v, pipes.
//
// # The column store
//
// Our own format, extension .nys, exists because the others do not protect their content: a third
// of random damage to Parquet and Arrow files reads as valid numbers. In a store a checksum covers
// every byte, and [VerifyStore] verifies a digest of the whole. The package comment of
// internal/store is its specification.
package blockstore
