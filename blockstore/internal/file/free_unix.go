//go:build linux || darwin || freebsd

package file

import "golang.org/x/sys/unix"

// freeBytes returns the number of bytes this user may still write in a folder, -1 if unknown.
func freeBytes(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
