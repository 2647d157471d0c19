package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag that takes the words of some values of a type; the first is the
// default.
type choice[T fmt.Stringer] struct {
	value   *T
	choices []T
}

// addChoice adds a flag for a value. means has what the choices mean, "" for what needs
// no words, and may end early.
func addChoice[T fmt.Stringer](cmd *cobra.Command, value *T, name, what string, choices []T, means ...string) {
	addChoiceTo(cmd.Flags(), value, name, what, choices, means...)
}

func addChoiceTo[T fmt.Stringer](flags *pflag.FlagSet, value *T, name, what string, choices []T, means ...string) {
	*value = choices[0]
	explained := wordsOf(choices)
	for i, meaning := range means {
		if meaning != "" {
			explained[i] += " (" + meaning + ")"
		}
	}
	flags.Var(&choice[T]{value, choices}, name, what+": "+strings.Join(explained, ", "))
}

func wordsOf[T fmt.Stringer](choices []T) (words []string) {
	for _, c := range choices {
		words = append(words, c.String())
	}
	return words
}

// words returns what the flag may be set to.
func (c *choice[T]) words() []string { return wordsOf(c.choices) }

// Set takes one of the words.
func (c *choice[T]) Set(word string) error {
	for _, value := range c.choices {
		if value.String() == word {
			*c.value = value
			return nil
		}
	}
	known := c.words()
	return fmt.Errorf("is not one of %s%s", strings.Join(known, ", "), didYouMean(word, known))
}

func (c *choice[T]) String() string {
	if c.value == nil { // pflag asks a zero value
		return ""
	}
	return (*c.value).String()
}

// Type names the value in help texts.
func (c *choice[T]) Type() string { return "word" }

// word is a choice that no library has a type for.
type word string

func (w word) String() string { return string(w) }

func words(list ...string) (words []word) {
	for _, w := range list {
		words = append(words, word(w))
	}
	return words
}

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

// didYouMeanFlag suggests the flags that were probably meant, or is empty.
func didYouMeanFlag(name string, known []string) string {
	return strings.NewReplacer("mean ", "mean --", " or ", " or --").Replace(didYouMean(name, known))
}
