package stream

import (
	"fmt"
	"io"
)

// StateStore keeps states by name, as files in a folder do. Several processes may use
// it at once. A [Run] calls it from one goroutine at a time, and does not close it.
type StateStore interface {
	// Names returns the names of all states, in any order.
	Names() ([]string, error)
	// Open opens the state with the given name for reading. The caller closes it.
	Open(name string) (io.ReadCloser, error)
	// Write puts a state in the place of one with the same name, if there is one: the
	// name has the old state or the new one, whole, whatever happens. Write does not keep
	// data.
	Write(name string, data []byte) error
	// Remove removes a state. It is no error if there is none.
	Remove(name string) error
}

// StateError says why a state is not used.
type StateError struct {
	Name   string
	Reason string
	// Damaged tells that the state is of no use to anybody, Foreign that it may be of use to
	// another fit. A state that is neither has seen blocks that another has seen, too.
	Damaged, Foreign bool
}

func (e *StateError) Error() string { return fmt.Sprintf("state %s: %s", e.Name, e.Reason) }
