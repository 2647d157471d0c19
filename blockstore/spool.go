package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/file"
)

// SpoolRoom is the room on disk that copies may take in all, at one time: those of
// Options, and what a Schema collects. All that share one add up; nil is any room.
type SpoolRoom = file.Room

// NewSpoolRoom returns room for so many bytes, 0 for any: then it only counts.
func NewSpoolRoom(bytes int64) *SpoolRoom { return file.NewRoom(bytes) }

// HalfFree returns room for half of what is free now on the disk of a folder, "" being the
// system's for temporary files; any room where the system does not tell.
func HalfFree(dir string) *SpoolRoom { return file.HalfFree(dir) }
