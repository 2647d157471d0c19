package flags

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Explain returns an error of pflag in plain words, with what may have been meant by an unknown flag.
func Explain(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return fmt.Errorf("--%s %q %w", invalid.GetFlag().Name, invalid.GetValue(), plainCause(errors.Unwrap(err)))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	return fmt.Errorf("%w for %s%s", err, cmd.CommandPath(), didYouMeanFlag(name, names))
}

// plainCause returns why a value was refused, without the words of strconv.
func plainCause(err error) error {
	var number *strconv.NumError
	switch {
	case !errors.As(err, &number):
		return err
	case errors.Is(err, strconv.ErrRange):
		return errors.New("is too large")
	case number.Func == "ParseBool":
		return errors.New("is neither true nor false")
	case number.Func == "ParseFloat":
		return errors.New("is not a number")
	case number.Func == "ParseUint" && strings.HasPrefix(number.Num, "-"):
		return errors.New("must be 0 or more")
	}
	return errors.New("is not a whole number")
}

// Normalize lets flags be called as in scikit-learn.
func Normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "components", "n-components", "n_components":
		name = "rank"
	case "random-state", "random_state":
		name = "seed"
	}
	return pflag.NormalizedName(name)
}

// setting is a setting in the texts of the libraries: a word in backquotes, perhaps
// with a value.
var setting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`\n]+)`")
})

// Spell returns text of a library with the settings in it named as cmd has them: `rank` becomes
// --rank where there is such a flag, and loses its quotes where there is none.
func Spell(cmd *cobra.Command, text string) string {
	return setting().ReplaceAllStringFunc(text, func(quoted string) string {
		words := strings.Trim(quoted, "`")
		name, _, _ := strings.Cut(words, " ")
		if cmd != nil && cmd.Flag(name) != nil {
			return "--" + words
		}
		return words
	})
}

// SpellAll spells several texts, none as an empty list.
func SpellAll(cmd *cobra.Command, texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = Spell(cmd, text)
	}
	return out
}
