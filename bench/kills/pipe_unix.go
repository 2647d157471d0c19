//go:build unix

package main

import (
	"errors"
	"io/fs"
	"syscall"
)

// makePipe makes a named pipe, unless there is one.
func makePipe(path string) error {
	if err := syscall.Mkfifo(path, 0o666); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
