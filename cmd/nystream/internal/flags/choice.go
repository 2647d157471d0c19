package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is the value of a flag that accepts the words of some values of a type.
type choice[T fmt.Stringer] struct {
	value   *T
	choices []T
	means   []string
}

// Choice returns the value of a flag that accepts the words of choices; the first is the default. means explains them,
// "" for none, and may be shorter.
func Choice[T fmt.Stringer](p *T, choices []T, means ...string) pflag.Value {
	*p = choices[0]
	return &choice[T]{p, choices, means}
}

// chooser is a choice of any type.
type chooser interface {
	words() []string
	meanings() []string
}

// words returns the accepted words.
func (c *choice[T]) words() (words []string) {
	for _, v := range c.choices {
		words = append(words, v.String())
	}
	return words
}

// meanings returns the words with their explanations.
func (c *choice[T]) meanings() []string {
	words := c.words()
	for i, meaning := range c.means {
		if meaning != "" {
			words[i] += " (" + meaning + ")"
		}
	}
	return words
}

// Set accepts one of the words.
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

// Type returns the name of the value in help.
func (c *choice[T]) Type() string { return "word" }

// Word is a choice without a type in a library.
type Word string

func (w Word) String() string { return string(w) }

// Words returns words to choose from.
func Words(list ...string) (words []Word) {
	for _, w := range list {
		words = append(words, Word(w))
	}
	return words
}

// DidYouMean returns a suggestion for a misspelt word, or "". It uses cobra's edit distance for command names.
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

// didYouMeanFlag returns a suggestion for a misspelt flag, or "".
func didYouMeanFlag(name string, known []string) string {
	return strings.NewReplacer("mean ", "mean --", " or ", " or --").Replace(DidYouMean(name, known))
}
