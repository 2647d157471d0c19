package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is a flag that takes one of a few words; the first is the default.
type choice struct {
	value string
	words []string
}

func newChoice(words ...string) choice { return choice{words[0], words} }

// addChoice adds a flag of a few words, the first of which is the default.
func addChoice(cmd *cobra.Command, value *choice, name, what string, words ...string) {
	addExplained(cmd, value, name, newChoice(words...).usage(what), words...)
}

// addExplained adds a flag of a few words whose help text tells what they mean.
func addExplained(cmd *cobra.Command, value *choice, name, usage string, words ...string) {
	*value = newChoice(words...)
	cmd.Flags().Var(value, name, usage)
	completeChoice(cmd, name, value)
}

// Set takes one of the words.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return fmt.Errorf("is not one of %s%s", strings.Join(c.words, ", "), didYouMean(word, c.words))
	}
	c.value = word
	return nil
}

func (c *choice) String() string { return c.value }

// Type names the value in help texts.
func (c *choice) Type() string { return "word" }

// usage returns a help text that lists the words.
func (c choice) usage(what string) string {
	return what + ": " + strings.Join(c.words, ", ")
}

// index returns the place of the value among the words.
func (c *choice) index() int { return slices.Index(c.words, c.value) }

// didYouMean suggests the word that was probably meant, or is empty. Cobra has
// the edit distance that this needs, for the names of commands.
func didYouMean(word string, known []string) string {
	among := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range known {
		among.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	near := among.SuggestionsFor(word)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}
