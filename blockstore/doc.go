// Package blockstore reads and writes rows in files: Parquet, Arrow IPC, NPY,
// CSV, libsvm, and a column store of its own. Every format stands behind
// [github.com/nystream/nystream/stream.Source], and [Open] makes one source of
// any mixture of files, globs and folders.
//
// Whatever the format, a source keeps these promises:
//
//   - It never gives fewer rows than its Info states without an error.
//   - A damaged file is an error that names the file, never a panic.
//   - Nothing is written under its final name before it is complete.
//
// # The store
//
// Our own format, extension .nys, exists because the others do not protect
// what they hold: a third of random damage to Parquet and Arrow files is read
// as good numbers. In a store every byte is covered by a checksum, so that any
// single flipped bit is found: in header, footer and trailer when the file is
// opened, in a section before its values are used. Sections are aligned to 64
// bytes and laid out as Arrow buffers are, so they can be used in place from a
// mapping. All integers and floats are little-endian.
//
//	┌──────────────────────────────┐ 0
//	│ header              64 bytes │
//	├──────────────────────────────┤ 64
//	│ chunk 0, column 0            │
//	│ chunk 0, column 1            │  sections, each padded with
//	│ ...                          │  zeros to a multiple of 64
//	│ chunk 1, column 0            │
//	│ ...                          │
//	├──────────────────────────────┤ footer offset
//	│ footer                       │  padded with zeros likewise
//	├──────────────────────────────┤ file size − 64
//	│ trailer             64 bytes │
//	└──────────────────────────────┘
//
// The header:
//
//	0      8      12           16        20            60      64
//	┌──────┬──────┬────────────┬─────────┬─────────────┬───────┐
//	│magic │vers. │rows a chunk│columns  │zeros        │crc    │
//	│8     │u32   │u32         │u32      │40           │u32    │
//	└──────┴──────┴────────────┴─────────┴─────────────┴───────┘
//
// The magic is 89 'N' 'Y' 'S' 0D 0A 1A 0A, which a transfer in text mode
// spoils; the version is 1; the crc is that of bytes 0–59. Every crc is
// CRC-32C (Castagnoli).
//
// A chunk is a run of consecutive rows, all of the header's number except the
// last one; a store without rows has no chunks. A section is one column of one
// chunk, as it is or as one zstd frame. It consists of
//
//	number  │ rows × 8 bytes                        │ validity │
//	string  │ (rows+1) × u32 ends │ bytes of values │ validity │
//
// where a number is a float64 or an int64, value i of a string column is bytes
// ends[i] to ends[i+1] counted from the first byte after the ends, and the
// validity, present when the section says so, has one bit for each row in
// ⌈rows/8⌉ bytes, lowest bit first, 0 for null.
//
// The footer:
//
//	┌─────────┬──────────────────────┬──────────────────────┐
//	│rows u64 │columns               │sections              │
//	└─────────┴──────────────────────┴──────────────────────┘
//	a column:  kind u32 (0 float64, 1 int64, 2 string), length of the name
//	           u32, the name in UTF-8
//	a section: 0        8         16           24       28      32
//	           ┌────────┬─────────┬────────────┬────────┬───────┐
//	           │offset  │stored   │raw         │crc     │flags  │
//	           │u64     │bytes u64│bytes u64   │u32     │u32    │
//	           └────────┴─────────┴────────────┴────────┴───────┘
//
// Sections are listed chunk by chunk in the order of the columns, which is the
// order they have in the file, without gaps. Stored is the length in the file
// without padding, raw the length when decompressed; the crc covers the stored
// bytes and their padding. Flag 1 is zstd, flag 2 validity.
//
// The trailer:
//
//	0            8            16             48         52      56      64
//	┌────────────┬────────────┬──────────────┬──────────┬───────┬───────┐
//	│footer      │footer      │SHA-256 of all│footer crc│crc of │magic  │
//	│offset u64  │length u64  │before trailer│u32       │0–51   │8      │
//	└────────────┴────────────┴──────────────┴──────────┴───────┴───────┘
//
// The footer's length is without padding, its crc covers the padding. The
// digest identifies the content; [VerifyStore] compares it, and every pass
// compares the trailer with the one seen first, so that a file replaced
// between two passes is noticed.
package blockstore
