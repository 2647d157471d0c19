// Package blockstore reads and writes rows in files: Parquet, Arrow IPC, NPY,
// NPZ, CSV, JSON lines, libsvm, and a column store of its own. Every format stands behind
// [github.com/nystream/nystream/stream.Source], and [Open] makes one source of
// any mixture of files, globs, folders and pipes. [Create] writes a file of most of
// these formats.
//
// Graphs are read by package
// [github.com/nystream/nystream/blockstore/graph], models are kept by package
// [github.com/nystream/nystream/blockstore/archive].
//
// Each call of these functions is on its own. A [Session] is for several: it remembers files and
// objects, and bounds the disk space of temporary files.
//
// Whatever the format, a source keeps these promises:
//
//   - It never gives fewer rows than its Info states without an error.
//   - A damaged file is an error that names the file, never a panic.
//   - A file that was changed, replaced or removed since it was opened is a
//     [stream.DataError], when reading begins and when it ends. It is known by device,
//     inode, size and time, so one that was written again as it was counts as changed.
//   - Nothing is written under its final name before it is complete.
//
// # Inside
//
// Package internal/formats has the table of all formats. Their readers and
// writers are in packages of internal, which know nothing of each other:
//
//   - parquet: `parquet`
//   - arrow: `arrow` and `arrow-stream`
//   - npy: `npy` and `npz`
//   - text: `csv`, `tsv`, `jsonl` and `libsvm`
//   - store: `nys`, the column store
//
// A format opens a file as a column.Table, makes a source of a choice of its
// columns, and writes rows through a column.Encoder. What belongs to no format
// is here: which columns are meant, the columns of the first file found again
// in the others, files one after the other, folders k=v, pipes.
//
// # The column store
//
// Our own format, extension .nys, exists because the others do not protect
// what they hold: a third of random damage to Parquet and Arrow files is read
// as good numbers. In a store every byte is covered by a checksum, and
// [VerifyStore] compares a digest of the whole. The package comment of
// internal/store is its specification.
package blockstore
