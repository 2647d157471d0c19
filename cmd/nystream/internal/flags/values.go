package flags

import (
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Values of flags. Each sets its variable to a default first. Those of lists are pflag's.

// value parses a text, and prints a text that parses to the same value.
type value[T any] struct {
	p     *T
	parse func(text string) (T, error)
	print func(T) string
	kind  string
}

func (v *value[T]) Set(text string) error {
	parsed, err := v.parse(text)
	if err == nil {
		*v.p = parsed
	}
	return err
}

func (v *value[T]) String() string { return v.print(*v.p) }

// Type returns "bool" for switches, as pflag expects.
func (v *value[T]) Type() string { return v.kind }

func newValue[T any](p *T, first T, kind string, parse func(string) (T, error), print func(T) string) pflag.Value {
	*p = first
	return &value[T]{p, parse, print, kind}
}

func Int(p *int, first int) pflag.Value {
	parse := func(text string) (int, error) {
		v, err := strconv.ParseInt(text, 0, strconv.IntSize)
		return int(v), err
	}
	return newValue(p, first, "int", parse, strconv.Itoa)
}

// IntOr is Int that also takes a word, which stands for a number that nobody gives.
func IntOr(p *int, first int, word string, number int) pflag.Value {
	parse := func(text string) (int, error) {
		if text == word {
			return number, nil
		}
		v, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err != nil || int(v) == number {
			return 0, errors.New("is neither a number nor " + word)
		}
		return int(v), nil
	}
	return newValue(p, first, "int", parse, func(v int) string {
		if v == number {
			return word
		}
		return strconv.Itoa(v)
	})
}

func Int64(p *int64, first int64) pflag.Value {
	parse := func(text string) (int64, error) { return strconv.ParseInt(text, 0, 64) }
	return newValue(p, first, "int64", parse, func(v int64) string { return strconv.FormatInt(v, 10) })
}

func Uint64(p *uint64, first uint64) pflag.Value {
	parse := func(text string) (uint64, error) { return strconv.ParseUint(text, 0, 64) }
	return newValue(p, first, "uint64", parse, func(v uint64) string { return strconv.FormatUint(v, 10) })
}

func Float(p *float64, first float64) pflag.Value {
	parse := func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
	return newValue(p, first, "float64", parse, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
}

func String(p *string, first string) pflag.Value {
	same := func(text string) string { return text }
	return newValue(p, first, "string", func(text string) (string, error) { return text, nil }, same)
}

func Bool(p *bool, first bool) pflag.Value {
	return newValue(p, first, "bool", strconv.ParseBool, strconv.FormatBool)
}

func Duration(p *time.Duration, first time.Duration) pflag.Value {
	return newValue(p, first, "duration", time.ParseDuration, time.Duration.String)
}

func Strings(p *[]string) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.StringSliceVar(p, "value", nil, "") })
}

func Ints(p *[]int) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.IntSliceVar(p, "value", nil, "") })
}

func Floats(p *[]float64) pflag.Value {
	return &floats{valueOf(func(f *pflag.FlagSet) { f.Float64SliceVar(p, "value", nil, "") }), p}
}

// floats is a list of numbers printed with all digits; pflag prints six decimals.
type floats struct {
	pflag.Value
	list *[]float64
}

// Exact returns the numbers, separated by commas.
func (v *floats) Exact() string {
	words := make([]string, len(*v.list))
	for i, x := range *v.list {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// valueOf returns the value of a flag created by pflag.
func valueOf(add func(f *pflag.FlagSet)) pflag.Value {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	add(f)
	return f.Lookup("value").Value
}

// ListText returns words in the syntax of list flags.
func ListText(words []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(words); err != nil {
		panic("nystream: " + err.Error()) // cannot fail: a Builder accepts everything
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
