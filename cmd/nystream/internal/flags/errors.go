package flags

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Explain rewrites an error of pflag in plain words, with suggestions for an unknown flag.
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

// plainCause returns the reason for refusing a value, without the words of strconv.
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

// Normalize accepts scikit-learn's spelling of flags.
func Normalize(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "components", "n-components", "n_components":
		name = "rank"
	case "random-state", "random_state":
		name = "seed"
	}
	return pflag.NormalizedName(name)
}

// setting matches a setting in texts of the libraries: a Go name in backquotes, with an optional type and value.
var setting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`(?:[A-Z]\\w*\\.)?([A-Za-z][A-Za-z/-]*)( [^`\n]+)?`")
})

// Spell replaces the settings in a text of a library by the flags of cmd: `Session.SpoolDir` becomes --spool-dir. A flag
// that only other commands have is named without dashes.
func Spell(cmd *cobra.Command, text string) string {
	return setting().ReplaceAllStringFunc(text, func(quoted string) string {
		parts := setting().FindStringSubmatch(quoted)
		return flagFor(cmd, parts[1]) + parts[2]
	})
}

// flagFor returns the flag of cmd that sets what libraries call by a name, or what other commands call it.
func flagFor(cmd *cobra.Command, name string) string {
	if cmd == nil {
		return kebab(name)
	}
	called := ""
	find := func(f *pflag.Flag) {
		if declared := Declaration(f); called == "" && declared != nil && declared.Sets(name) {
			called = f.Name
		}
	}
	cmd.Flags().VisitAll(find)
	cmd.InheritedFlags().VisitAll(find)
	if called != "" {
		return "--" + called
	}
	EveryCommand(cmd.Root(), func(c *cobra.Command) { c.Flags().VisitAll(find) })
	return cmp.Or(called, kebab(name))
}

// Sets reports whether the flag sets what libraries call by a name: Field, or the name of the flag as Go spells it.
func (f *Flag) Sets(name string) bool {
	return name == f.Field || kebab(name) == strings.ToLower(f.Name)
}

// kebab spells a name of Go as flags are: SpoolDir is spool-dir, and NNZ is nnz.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// SpellAll applies Spell to several texts. It never returns nil.
func SpellAll(cmd *cobra.Command, texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = Spell(cmd, text)
	}
	return out
}
