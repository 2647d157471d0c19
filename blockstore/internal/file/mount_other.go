//go:build unix && !linux

package file

// isMountPoint returns false: only Linux mounts files.
func isMountPoint(string) bool { return false }
