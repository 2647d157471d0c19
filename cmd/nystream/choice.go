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

// enumeration is a flag that takes the words of some values of a type; the first is the
// default.
type enumeration[T fmt.Stringer] struct {
	value   *T
	choices []T
}

// addEnumeration adds a flag for a value. means has what the choices mean, "" for what
// needs no words, and may end early.
func addEnumeration[T fmt.Stringer](cmd *cobra.Command, value *T, name, what string, choices []T, means ...string) {
	*value = choices[0]
	words := wordsOf(choices)
	explained := slices.Clone(words)
	for i, meaning := range means {
		if meaning != "" {
			explained[i] += " (" + meaning + ")"
		}
	}
	cmd.Flags().Var(&enumeration[T]{value, choices}, name, what+": "+strings.Join(explained, ", "))
	mustRegister(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

func wordsOf[T fmt.Stringer](choices []T) (words []string) {
	for _, c := range choices {
		words = append(words, c.String())
	}
	return words
}

// Set takes one of the words.
func (e *enumeration[T]) Set(word string) error {
	for _, c := range e.choices {
		if c.String() == word {
			*e.value = c
			return nil
		}
	}
	words := wordsOf(e.choices)
	return fmt.Errorf("is not one of %s%s", strings.Join(words, ", "), didYouMean(word, words))
}

func (e *enumeration[T]) String() string {
	if e.value == nil { // pflag asks a zero value
		return ""
	}
	return (*e.value).String()
}

// Type names the value in help texts.
func (e *enumeration[T]) Type() string { return "word" }

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
