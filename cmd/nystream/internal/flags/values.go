package flags

import (
	"encoding/csv"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Values of flags, as pflag reads them. Each sets its variable to a default, and then to what is given.

func Int(p *int, value int) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.IntVar(p, "value", value, "") })
}

func Int64(p *int64, value int64) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.Int64Var(p, "value", value, "") })
}

func Uint64(p *uint64, value uint64) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.Uint64Var(p, "value", value, "") })
}

func Float(p *float64, value float64) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.Float64Var(p, "value", value, "") })
}

func String(p *string, value string) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.StringVar(p, "value", value, "") })
}

func Bool(p *bool, value bool) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.BoolVar(p, "value", value, "") })
}

func Duration(p *time.Duration, value time.Duration) pflag.Value {
	return valueOf(func(f *pflag.FlagSet) { f.DurationVar(p, "value", value, "") })
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

// floats are numbers whose text has all their digits; that of pflag has six behind the point.
type floats struct {
	pflag.Value
	list *[]float64
}

// Exact returns the numbers with commas.
func (v *floats) Exact() string {
	words := make([]string, len(*v.list))
	for i, x := range *v.list {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// valueOf returns the value of a flag that pflag makes.
func valueOf(add func(f *pflag.FlagSet)) pflag.Value {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	add(f)
	return f.Lookup("value").Value
}

// ListText returns words as flags for lists take them.
func ListText(words []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(words); err != nil {
		panic("nystream: " + err.Error()) // a Builder takes everything
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
