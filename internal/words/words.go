// Package words maps values of enumerations to words. Invalid values also have a text, for error
// messages.
package words

import (
	"fmt"
	"strings"
)

// Of returns the word of a value, or its type and number if it has none.
func Of[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprintf("%T(%d)", v, uint8(v))
}

// Parse returns the value with the given word. what names the enumeration in the error.
func Parse[T ~uint8](what string, words []string, word string) (T, error) {
	for i, w := range words {
		if w == word {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("no %s is called %q; known are %s", what, word, strings.Join(words, ", "))
}
