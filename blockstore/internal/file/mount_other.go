//go:build unix && !linux

package file

// isMountPoint returns false: only Linux mounts single files.
func isMountPoint(string) bool { return false }
