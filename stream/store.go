package stream

import (
	"fmt"
	"io"
)

// StateStore keeps states by name, like the files of a folder. Several processes may use it at
// once. A [Run] calls it from one goroutine at a time, and does not close it.
type StateStore interface {
	// Names returns the names of all states, in any order.
	Names() ([]string, error)
	// Open opens the state with the given name for reading. The caller closes it.
	Open(name string) (io.ReadCloser, error)
	// Write stores a state, replacing any of the same name. It is atomic: whatever happens, the
	// name refers to the whole old state or the whole new one. Write does not keep data.
	Write(name string, data []byte) error
	// Remove removes a state. Removing a missing state is not an error.
	Remove(name string) error
}

// StateError reports a state that a run does not use, and why.
type StateError struct {
	Name   string
	Reason string
	// Damaged reports that the state is corrupt, Foreign that it belongs to another fit. A state
	// that is neither covers blocks that another state covers too.
	Damaged, Foreign bool
}

func (e *StateError) Error() string { return fmt.Sprintf("state %s: %s", e.Name, e.Reason) }
