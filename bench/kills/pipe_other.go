//go:build !unix

package main

import "errors"

// makePipe makes a named pipe.
func makePipe(string) error { return errors.New("-stops needs named pipes, which this system has not") }
