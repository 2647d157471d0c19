// Package file opens and writes files and objects, whatever they hold. [Expand] turns arguments
// into paths. A [Stamp] recognises a file when it is opened a second time. A reader ends with
// its context. An [Atomic] appears under its name complete or not at all.
//
// # Objects
//
// An [Object] is one version of what a URL such as s3://bucket/key names. All requests are for
// that version. Each request costs some ten milliseconds whatever its size, so requests are few
// and large: objects are fetched in chunks, which all readers share. A reader announces how many
// places it reads at the same time, for instance the columns of a Parquet file. It holds one chunk
// for each place and a few that are read ahead. Chunks are small enough for all of them to fit in
// a fixed number of bytes, which is known before the reader reads ([Object.Holds]). The least
// recently used chunks are dropped first.
//
// A request that fails, stops in the middle or stalls is repeated from where it stopped, after
// growing pauses. The first and last bytes of an object are fetched in small ranges
// ([Object.Edges]), which larger chunks leave out.
package file
