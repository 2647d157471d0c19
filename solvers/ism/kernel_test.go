package ism

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nystream/nystream/kernelgen"
)

func TestKernelText(t *testing.T) {
	for text, want := range map[string]string{
		"linear":                          "linear()",
		" gaussian( ) ":                   "gaussian(sigma=median)",
		"gaussian(sigma=median)":          "gaussian(sigma=median)",
		"gaussian(sigma=2.5)":             "gaussian(sigma=2.5)",
		"polynomial(c=2)":                 "polynomial(degree=3, c=2)",
		"2*squared + .5 * multiquadratic": "2*squared() + 0.5*multiquadratic(c=1)",
		"1e-3*relative(neighbour = 5)":    "0.001*relative(neighbour=5)",
		"aligned( linear()+gaussian() )":  "aligned(linear() + gaussian(sigma=median))",
		"independent(squared)":            "independent(squared())",
		"inverse() + 1.5e+10*wave":        "inverse() + 1.5e+10*wave()",
	} {
		if got := mustParse(t, text).String(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, part := range map[string]string{
		"":                                 "name of a kernel",
		"gauss()":                          `"gauss"; known are linear, polynomial, gaussian`,
		"gaussian(sigma=0)":                "character 16: sigma is 0",
		"gaussian(sigma=-1)":               "must be positive",
		"gaussian(sigma=1e999)":            "fits float64",
		"gaussian(sigma=mean)":             "not a number",
		"gaussian(sigma=1":                 "expected a comma or a closing parenthesis, found the end",
		"gaussian(width=1)":                `no parameter "width"; usage: gaussian(sigma=median)`,
		"polynomial(degree=2.5)":           "whole number",
		"polynomial(degree=2, degree=2)":   "given twice",
		"polynomial(degree 2)":             "expected =",
		"0*linear()":                       "weights are positive",
		"-1*linear()":                      "weights are positive",
		"2 linear()":                       "expected *",
		"linear() linear()":                "unexpected 'l'",
		"linear() + ":                      "found the end",
		"aligned(linear()":                 "closing parenthesis",
		"aligned linear()":                 "opening parenthesis",
		"multiquadratic(c=0)":              "positive",
		"linear()*2":                       "unexpected '*'",
		strings.Repeat("linear()+", 1<<14): "longer than",
		"é":                                "found 'é'",
	} {
		_, err := Parse(text)
		var bad *kernelgen.ParseError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), part) {
			t.Errorf("%.30q: %v, want %q", text, err, part)
		}
	}
}

// TestKernelRoundTrip: the text of any kernel reads back as the same text, and nothing
// makes Parse panic.
func TestKernelRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Kernel
		for range rapid.IntRange(1, 4).Draw(t, "terms") {
			atoms := []Kernel{Linear(), Squared(), Gaussian(0), Gaussian(rapid.Float64Range(1e-10, 1e10).Draw(t, "sigma")),
				Polynomial(rapid.IntRange(1, 9).Draw(t, "degree"), rapid.Float64Range(0, 10).Draw(t, "c")), Relative(3), New(testProfiles[0])}
			weight := math.Exp(rapid.Float64Range(-300, 300).Draw(t, "weight"))
			one := Scale(weight, atoms[rapid.IntRange(0, len(atoms)-1).Draw(t, "atom")])
			if k.terms == nil {
				k = one
			} else {
				k = Sum(k, one)
			}
		}
		if rapid.Bool().Draw(t, "aligned") {
			k = k.Aligned()
		}
		back, err := Parse(k.String(), testProfiles...)
		if err != nil || back.String() != k.String() {
			t.Fatalf("%v reads back as %v, %v", k, back, err)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("lineargausp()*+=.,0123456789e-ed "))).Draw(t, "text")
		k, err := Parse(text)
		if err == nil && k.String() == "" {
			t.Fatalf("%q is a kernel without text", text)
		}
	})
}

// TestDerivatives: f' of every kernel is that of f.
func TestDerivatives(t *testing.T) {
	for _, k := range plainKernels {
		s := mustParse(t, k.text).terms[0].atom.shape()
		for _, beta := range []float64{0.3, 1, 7.5} {
			const h = 1e-6
			if got, want := (s.f.at(beta+h)-s.f.at(beta-h))/(2*h), s.df.at(beta); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s at %v: f' is %v, differences %v", k.text, beta, want, got)
			}
			if s.ratio != 0 && math.Abs(s.ratio*s.f.at(beta)-s.df.at(beta)) > 1e-12 {
				t.Errorf("%s: f'/f is not %v", k.text, s.ratio)
			}
			if s.power != 0 && math.Abs((beta+s.offset)*s.df.at(beta)/s.power-s.f.at(beta)) > 1e-9*math.Abs(s.f.at(beta)) {
				t.Errorf("%s: f is not (β+%v)·f'/%v", k.text, s.offset, s.power)
			}
		}
	}
}

func TestKernelPanics(t *testing.T) {
	for name, do := range map[string]func(){
		"degree":         func() { Polynomial(0, 1) },
		"c":              func() { Polynomial(2, -1) },
		"sigma":          func() { Gaussian(-1) },
		"neighbour":      func() { Relative(0) },
		"weight":         func() { Scale(0, Linear()) },
		"aligned in sum": func() { Sum(Linear(), Linear().Aligned()) },
		"no derivative":  func() { New(Profile{Name: "f", F: math.Sin}) },
		"built in":       func() { New(Profile{Name: "linear", F: math.Sin, Derivative: math.Cos}) },
		"no name":        func() { New(Profile{Name: "2", F: math.Sin, Derivative: math.Cos}) },
		"twice":          func() { _, _ = Parse("linear()", testProfiles[0], testProfiles[0]) },
		"zero kernel":    func() { _, _ = Solver{Dim: 1}.Fit(ctx, streamEngine, nil, Task{}) },
	} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "ism: ") {
					t.Errorf("%s: panic with %v", name, r)
				}
			}()
			do()
		}()
	}
}
