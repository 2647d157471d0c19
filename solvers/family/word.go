package family

import "github.com/nystream/nystream/solvers/model"

// Word returns what parse makes of a word of the header.
func Word[T any](a *model.Archive, word string, parse func(string) (T, error)) T {
	v, err := parse(word)
	if err != nil {
		a.Fail("header: %w", err)
	}
	return v
}
