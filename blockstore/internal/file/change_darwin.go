package file

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when the inode was changed last.
func changeTime(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return time.Time{}
}
