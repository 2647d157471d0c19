// Package words gives enumerations their words. Any value has one, so that a value that is wrong can be printed.
package words

import (
	"fmt"
	"strings"
)

// Of returns the word for the value of an enumeration; for a value that has none, its type
// and number.
func Of[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprintf("%T(%d)", v, uint8(v))
}

// Parse reads a word that Of gives. what names the enumeration in the error.
func Parse[T ~uint8](what string, words []string, word string) (T, error) {
	for i, w := range words {
		if w == word {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("no %s is called %q; known are %s", what, word, strings.Join(words, ", "))
}
