package ism

import (
	"fmt"
	"strings"
)

var (
	paradigmWords = []string{"supervised", "unsupervised", "semisupervised", "alternative"}
	engineWords   = []string{"auto", "exact", "linear"}
)

// wordOf is the word for the value of an enumeration.
func wordOf[T ~uint8](words []string, v T) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprintf("%T(%d)", v, uint8(v))
}

// parseWord reads a word of an enumeration.
func parseWord[T ~uint8](what string, words []string, word string) (T, error) {
	for i, w := range words {
		if w == word {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("no %s is called %q; known are %s", what, word, strings.Join(words, ", "))
}
