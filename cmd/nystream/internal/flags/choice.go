package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is the value of a flag that takes the words of some values of a type.
type choice[T fmt.Stringer] struct {
	value   *T
	choices []T
	means   []string
}

// Choice returns the value of a flag that takes the words of some values; the first is the default.
// means has what they mean, "" for what needs no words, and may end early.
func Choice[T fmt.Stringer](p *T, choices []T, means ...string) pflag.Value {
	*p = choices[0]
	return &choice[T]{p, choices, means}
}

// chooser is a choice of any type.
type chooser interface {
	words() []string
	meanings() []string
}

// words returns what the flag may be set to.
func (c *choice[T]) words() (words []string) {
	for _, v := range c.choices {
		words = append(words, v.String())
	}
	return words
}

// meanings returns the words, each with what it means.
func (c *choice[T]) meanings() []string {
	words := c.words()
	for i, meaning := range c.means {
		if meaning != "" {
			words[i] += " (" + meaning + ")"
		}
	}
	return words
}

// Set takes one of the words.
func (c *choice[T]) Set(word string) error {
	for _, value := range c.choices {
		if value.String() == word {
			*c.value = value
			return nil
		}
	}
	known := c.words()
	return fmt.Errorf("is not one of %s%s", strings.Join(known, ", "), DidYouMean(word, known))
}

func (c *choice[T]) String() string { return (*c.value).String() }

// Type names the value in help.
func (c *choice[T]) Type() string { return "word" }

// Word is a choice that no library has a type for.
type Word string

func (w Word) String() string { return string(w) }

// Words returns words to choose from.
func Words(list ...string) (words []Word) {
	for _, w := range list {
		words = append(words, Word(w))
	}
	return words
}

// DidYouMean suggests the word that was probably meant, or is empty. Cobra has
// the edit distance that this needs, for the names of commands.
func DidYouMean(word string, known []string) string {
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
	return strings.NewReplacer("mean ", "mean --", " or ", " or --").Replace(DidYouMean(name, known))
}
