package file

import "golang.org/x/sys/windows"

// freeBytes returns the number of bytes this user may still write in a folder, -1 if unknown.
func freeBytes(dir string) int64 {
	var free uint64
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return -1
	}
	return int64(free)
}
