package family

import "github.com/nystream/nystream/solvers/model"

// Word parses a word of the header. It records the error in a.
func Word[T any](a *model.Archive, word string, parse func(string) (T, error)) T {
	v, err := parse(word)
	if err != nil {
		a.Fail("header: %w", err)
	}
	return v
}
