package main

import (
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// setting is a setting in the texts of the libraries: a word in backquotes, perhaps
// with a value.
var setting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`\n]+)`")
})

// flagWords returns text with the settings in it named as cmd has them: `rank` becomes
// --rank where there is such a flag, and loses its quotes where there is none.
func flagWords(cmd *cobra.Command, text string) string {
	return setting().ReplaceAllStringFunc(text, func(quoted string) string {
		words := strings.Trim(quoted, "`")
		name, _, _ := strings.Cut(words, " ")
		if cmd != nil && cmd.Flag(name) != nil {
			return "--" + words
		}
		return words
	})
}

// words returns text of a library for the user of the command at hand.
func (a *app) words(text string) string { return flagWords(a.cmd, text) }

// sentences returns texts of a library for the user of the command at hand, none as
// an empty list.
func (a *app) sentences(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = a.words(text)
	}
	return out
}
