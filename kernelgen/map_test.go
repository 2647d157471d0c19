package kernelgen

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestMaps(t *testing.T) {
	definitions := map[string]func(float64) float64{
		"abs": math.Abs, "cos": math.Cos, "exp": math.Exp, "expm1": math.Expm1,
		"identity": func(a float64) float64 { return a },
		"log1p":    math.Log1p,
		"relu":     func(a float64) float64 { return math.Max(0, a) },
		"sigmoid":  func(a float64) float64 { return 1 / (1 + math.Exp(-a)) },
		"sin":      math.Sin, "sqrt": math.Sqrt,
		"square": func(a float64) float64 { return a * a },
		"tanh":   math.Tanh,
	}
	src := []float64{0, 0.25, 1, -0.5, 3, -800, 800, 1e-310, 1e308, -1e308, math.NaN()}
	for _, name := range ElementMapNames() {
		f := definitions[name]
		if f == nil {
			t.Errorf("no definition of %s in this test", name)
			continue
		}
		for scale, text := range map[float64]string{1: name, -0.5: name + "(scale=-0.5)"} {
			m, err := ParseElementMap(text)
			if err != nil || m.String() != text {
				t.Errorf("%s: %v, %v", text, m, err)
			}
			dst := make([]float64, len(src))
			m.Apply(dst, src)
			for i, a := range src {
				want := f(scale * a)
				near := math.Abs(dst[i]-want) <= 4e-16*math.Abs(want)
				if !near && dst[i] != want && !(math.IsNaN(dst[i]) && math.IsNaN(want)) {
					t.Errorf("%s of %v is %v, want %v", text, a, dst[i], want)
				}
			}
		}
	}
	if src[1] != 0.25 {
		t.Error("Apply wrote to its source")
	}
}

func TestMapText(t *testing.T) {
	for text, want := range map[string]string{
		" exp ": "exp", "exp()": "exp", "exp(scale=1)": "exp", "tanh( scale = 1e-3 )": "tanh(scale=0.001)",
	} {
		if m, err := ParseElementMap(text); err != nil || m.String() != want {
			t.Errorf("%q gives %v, %v, want %s", text, m, err, want)
		}
	}
	if (ElementMap{}).String() != "identity" {
		t.Error("the zero Map is the identity")
	}
}

func TestMapErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":               `no map is called ""`,
		"exq":            `did you mean "exp"?`,
		"exp(1)":         "a map takes scale=number only",
		"exp(scale=0)":   "other than 0",
		"exp(scale=x)":   "expected a number",
		"exp(scale=1":    "closing parenthesis",
		"exp + 1":        "unexpected '+'",
		"exp(gamma=1)":   "scale=number only",
		"exp(scale=1e9x": "closing parenthesis, found 'x'",
	} {
		_, err := ParseElementMap(text)
		var e *ParseError
		if !errors.As(err, &e) || e.What != "map" || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func FuzzParseMap(f *testing.F) {
	for _, text := range append(ElementMapNames(), "exp(scale=-10)", "exp(", "é", "tanh(scale=1e-320)") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseElementMap(text)
		if err != nil {
			_ = err.Error()
			return
		}
		if again, err := ParseElementMap(m.String()); err != nil || again != m {
			t.Fatalf("%q gives %v, which gives %v, %v", text, m, again, err)
		}
	})
}
