package kernelgen

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
)

func TestCanonicalText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"rbf(sigma2=0.2)", "rbf(sigma2=0.2)"},
		{"rbf", "rbf(gamma=auto)"},
		{" rbf ( gamma = scale ) ", "rbf(gamma=scale)"},
		{"0.5*rbf(gamma=1) + 2*linear()", "0.5*rbf(gamma=1) + 2*linear()"},
		{"rbf(gamma=1)*poly(degree=2,coef0=1)", "rbf(gamma=1)*poly(degree=2, gamma=auto, coef0=1)"},
		{"poly(coef0=-.5,degree=2)", "poly(degree=2, gamma=auto, coef0=-0.5)"},
		{"csrbf(sigma2=1000)", "csrbf(sigma2=1000, theta=auto, v=auto)"},
		{"2*3*linear", "6*linear()"},
		{"linear*2", "2*linear()"},
		{"1*linear", "linear()"},
		{"(linear)", "linear()"},
		{"linear + (cosine + relu)", "linear() + cosine() + relu()"},
		{"2*(linear + relu)", "2*(linear() + relu())"},
		{"0.5*(2*(linear + relu))", "linear() + relu()"},
		{"(2*linear)*(3*relu*cosine)", "6*linear()*relu()*cosine()"},
		{"linear*(relu + 2*cosine)", "linear()*(relu() + 2*cosine())"},
		{"1e-3*expdot(scale=1E+2)", "0.001*expdot(scale=100)"},
		{"sne(gamma=2)", "sne(gamma=2)"},
		{"2*sne( gamma = median )", "2*sne(gamma=median)"},
		{"(t)", "t()"},
		{"2*(t()*3)", "6*t()"},
		{"softmax", "softmax(scale=1/sqrt(d))"},
		{"softmax(scale=0.125)", "softmax(scale=0.125)"},
		{"softmax(scale=1)", "softmax(scale=1)"},
		{"expdot(scale= 1/sqrt(d) )", "expdot(scale=1/sqrt(d))"},
		{"kl + kl(a=.5)*relu", "kl(a=1) + kl(a=0.5)*relu()"},
		{"matern32(length=median)\n+ matern52", "matern32(length=median) + matern52(length=1)"},
		{"rbf(gamma = 0.5 * median)", "rbf(gamma=0.5*median)"},
		{"laplace(gamma=1*scale)", "laplace(gamma=scale)"},
		{"softmax(scale=2*1/sqrt(d))", "softmax(scale=2*1/sqrt(d))"},
	}
	for _, test := range tests {
		k, err := Parse(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if k.String() != test.want {
			t.Errorf("%q gives %q, want %q", test.text, k, test.want)
		}
		if again := mustParse(t, k.String()); again.String() != test.want {
			t.Errorf("%q read again gives %q", test.want, again)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		text string
		at   int      // offset in bytes
		says []string // parts of the message
	}{
		{"", 0, []string{"expected a kernel", "the end"}},
		{"rfb(gamma=1)", 0, []string{`no kernel is called "rfb" (did you mean "rbf"?)`, "matern52"}},
		{"laplacian()", 0, []string{`did you mean "laplace"?`}},
		{"polynomial_kernel()", 0, []string{`did you mean "poly`}},
		{"zzzzz()", 0, []string{`no kernel is called "zzzzz"; known are linear, poly`}},
		{"rbf(gama=1)", 4, []string{`rbf has no parameter "gama" (did you mean "gamma"?)`, "rbf(gamma=auto | sigma2 | sigma)"}},
		{"rbf(0.5)", 4, []string{"expected name=value", "rbf(gamma=auto | sigma2 | sigma)"}},
		{"rbf(gamma=0)", 10, []string{"gamma=0: gamma must be a positive finite number"}},
		{"rbf(gamma=-2)", 10, []string{"gamma=-2"}},
		{"rbf(gamma=1e999)", 10, []string{`"1e999" is not a number that fits float64`}},
		{"rbf(gamma=1e-999)", 10, []string{"gamma=0"}},
		{"rbf(gamma=nan)", 10, []string{"gamma=nan: gamma must be a positive finite number or auto or scale or median"}},
		{"rbf(gamma=1, sigma=2)", 0, []string{"rbf takes gamma or sigma, not both"}},
		{"rbf(sigma=2, gamma=1)", 0, []string{"rbf takes gamma or sigma, not both"}},
		{"rbf(sigma=2, sigma2=1)", 0, []string{"not both"}},
		{"rbf(gamma=1, gamma=1)", 13, []string{"gamma is given twice"}},
		{"rbf(gamma 1)", 10, []string{"expected = after gamma, found '1'"}},
		{"rbf(gamma=)", 10, []string{"expected a number, found ')'"}},
		{"rbf(gamma=1", 11, []string{"expected a comma or a closing parenthesis, found the end"}},
		{"poly(degree=2.5)", 12, []string{"degree=2.5: degree must be a whole number"}},
		{"poly(degree=0)", 12, []string{"degree=0"}},
		{"csrbf()", 0, []string{"csrbf needs sigma2, a positive finite number or median"}},
		{"sne()", 0, []string{"sne needs gamma, a positive finite number or median"}},
		{"sne(gamma=auto)", 10, []string{"gamma=auto: gamma must be a positive finite number or median"}},
		{"sne(sigma=1)", 4, []string{`sne has no parameter "sigma"`, "sne(gamma)"}},
		{"t(length=2)", 2, []string{"t takes no parameters"}},
		{"softmax(scale=0)", 14, []string{"scale=0"}},
		{"softmax(scale=auto)", 14, []string{"scale must be a positive finite number or 1/sqrt(d)"}},
		{"softmax(scale=1/sqrt(n))", 15, []string{"found '/'"}},
		{"softmax(scale=1/sqrt(d)", 23, []string{"expected a comma or a closing parenthesis, found the end"}},
		{"kl(a=-1)", 5, []string{"a=-1"}},
		{"linear() + 2*sne(gamma=1)", 0, []string{"sne is normalised by its row sums: it stands alone or with a weight, not in a sum or product of kernels"}},
		{"t() + t()", 0, []string{"t is normalised"}},
		{" softmax()*linear()", 1, []string{"softmax is normalised"}},
		{"linear()*( relu() + t())", 11, []string{"t is normalised"}},
		{"linear()*(2*t())", 0, []string{"t is normalised"}},
		{"-1*t()", 0, []string{"weight -1"}},
		{"csrbf(sigma2=1, v=0)", 18, []string{"v=0: v must be a positive"}},
		{"linear(gamma=1)", 7, []string{"linear takes no parameters"}},
		{"rbf(gamma=2*)", 12, []string{"expected a word after 2*, found ')'", "or auto or scale or median"}},
		{"rbf(gamma=0*median)", 10, []string{"gamma=0*…: the factor must be a positive finite number"}},
		{"rbf(gamma=2*medianx)", 12, []string{"expected a word"}},
		{"poly(degree=2*median)", 13, []string{"expected a comma"}},
		{"rbf(gamma=1|2)", 11, []string{"one kernel is needed here"}},
		{"2", 0, []string{"a number must multiply a kernel"}},
		{"linear() + 2", 11, []string{"a number must multiply a kernel"}},
		{"-1*linear()", 0, []string{"weight -1", "positive"}},
		{"0*linear()", 0, []string{"weight 0"}},
		{"linear() - relu()", 9, []string{"unexpected '-'", "+ and *"}},
		{"linear() relu()", 9, []string{"unexpected 'r'"}},
		{"linear() + ", 11, []string{"expected a kernel, found the end"}},
		{"(linear() + relu()", 18, []string{"closing parenthesis for the one at character 1"}},
		{"1e300*1e300*linear()", 0, []string{"weight +Inf"}},
		{"1e-300*(1e-300*linear())", 0, []string{"weight 0"}},
		{"linear()*é", 9, []string{"found 'é'"}},
		{strings.Repeat("(", 65) + "linear" + strings.Repeat(")", 65), 64, []string{"more than 64 parentheses"}},
		{strings.Repeat(" ", maxText+1), maxText, []string{"longer than 65536"}},
	}
	for _, test := range tests {
		k, err := Parse(test.text)
		var e *ParseError
		if !errors.As(err, &e) {
			t.Errorf("%q: no ParseError but %v, %v", test.text, k, err)
			continue
		}
		if e.Offset != test.at {
			t.Errorf("%q: error at %d, want %d: %v", test.text, e.Offset, test.at, err)
		}
		for _, part := range test.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: message %q lacks %q", test.text, err, part)
			}
		}
	}
}

func TestManyParenthesesSideBySide(t *testing.T) {
	text := strings.Repeat("(linear + relu)*", 100) + "cosine"
	if _, err := Parse(text); err != nil {
		t.Error(err)
	}
}

func TestParseErrorCountsCharacters(t *testing.T) {
	_, err := Parse("é")
	want := `kernel "é", character 1: expected a kernel, found 'é'`
	if err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
}

func TestCustomProfilesInText(t *testing.T) {
	p := Profile{Name: "tstudent", Base: SquaredDistance, F: func(r2 float64) float64 { return 1 / (1 + r2) }}
	k, err := Parse("2*tstudent*linear + tstudent()", p)
	if err != nil {
		t.Fatal(err)
	}
	if k.String() != "2*tstudent()*linear() + tstudent()" || !k.Resolved() || k.PositiveSemiDefinite() {
		t.Errorf("%v: resolved %v, psd %v", k, k.Resolved(), k.PositiveSemiDefinite())
	}
	x := matrix.Of([]float64{1, 2}, 1, 2)
	y := matrix.Of([]float64{3, 1}, 1, 2)
	if got, want := tile(k, x, y).Data[0], 2*5.0/6+1.0/6; math.Abs(got-want) > 1e-15 {
		t.Errorf("value %v, want %v", got, want)
	}
	if _, err := Parse("tstudent()"); err == nil {
		t.Error("a custom name is known without its profile")
	}
}

func TestConstructorsMatchText(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{}
	for text, k := range map[string]Kernel{
		"linear()":                           Linear(),
		"poly(degree=2, gamma=0.5, coef0=1)": Poly(2, 0.5, 1),
		"rbf(gamma=2)":                       RBF(2),
		"laplace(gamma=2)":                   Laplace(2),
		"exponential(gamma=2)":               Exponential(2),
		"matern12(length=2)":                 Matern12(2),
		"matern32(length=2)":                 Matern32(2),
		"matern52(length=2)":                 Matern52(2),
		"rq(alpha=1, length=2)":              RationalQuadratic(1, 2),
		"cauchy(length=2)":                   Cauchy(2),
		"multiquadric(length=2)":             Multiquadric(2),
		"imq(length=2)":                      InverseMultiquadric(2),
		"csrbf(sigma2=1, theta=2, v=3)":      CompactRBF(1, 2, 3),
		"sigmoid(gamma=1, coef0=2)":          Sigmoid(1, 2),
		"cosine()":                           Cosine(),
		"expdot(scale=2)":                    ExpDot(2),
		"relu()":                             ReLU(),
		"kl(a=2)":                            KL(2),
		"sne(gamma=2)":                       SNE(2),
		"t()":                                StudentT(),
		"2*softmax(scale=3)":                 Scale(2, Softmax(3)),
		"linear() + relu()":                  Sum(Linear(), ReLU()),
		"2*linear()*(linear() + relu())":     Product(Scale(2, Linear()), Sum(Linear(), ReLU())),
		"0.5*(linear() + relu())":            Scale(0.5, Sum(Linear(), ReLU())),
		"3*(linear() + relu())*(linear() + rbf(gamma=1))": Product(Scale(3, Sum(Linear(), ReLU())), Sum(Linear(), RBF(1))),
	} {
		got[text], want[text] = k.String(), mustParse(t, text).String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// drawKernel draws a kernel of any form by the constructors.
func drawKernel(t *rapid.T, depth int) Kernel {
	number := rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64)
	several := func() []Kernel {
		ks := make([]Kernel, rapid.IntRange(1, 3).Draw(t, "count"))
		for i := range ks {
			ks[i] = drawKernel(t, depth-1)
		}
		return ks
	}
	form := rapid.IntRange(0, 7).Draw(t, "form")
	if depth == 0 {
		form %= 5
	}
	switch form {
	case 0:
		return RBF(number.Draw(t, "gamma"))
	case 1:
		return Poly(rapid.IntRange(1, 1e6).Draw(t, "degree"), number.Draw(t, "gamma"), rapid.Float64Range(-1e300, 1e300).Draw(t, "coef0"))
	case 2:
		return CompactRBF(number.Draw(t, "sigma2"), number.Draw(t, "theta"), number.Draw(t, "v"))
	case 3:
		return Cosine()
	case 4:
		text := rapid.SampledFrom([]string{"rbf(sigma=median)", "matern32()", "laplace(gamma=scale)", "csrbf(sigma2=2)", "kl(a=0.3)", "expdot(scale=1/sqrt(d))"}).Draw(t, "text")
		k, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return k
	case 5:
		return Sum(several()...)
	case 6:
		return Product(several()...)
	}
	// A few factors of this size keep the weights in range.
	return Scale(rapid.Float64Range(1e-9, 1e9).Draw(t, "weight"), drawKernel(t, depth-1))
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t, 3)
		again, err := Parse(k.String())
		if err != nil {
			t.Fatal(err)
		}
		if again.String() != k.String() {
			t.Fatalf("%q read again is %q", k, again)
		}
		if again.Resolved() != k.Resolved() || again.PositiveSemiDefinite() != k.PositiveSemiDefinite() {
			t.Fatalf("%q changed its properties", k)
		}
		if !k.Resolved() {
			return
		}
		x := matrix.Of([]float64{1, -0.5, 0.25, 2, 0, 1e-3}, 3, 2)
		a, b := tile(k, x, x), tile(again, x, x)
		for i, v := range a.Data {
			if !same(v, b.Data[i]) {
				t.Fatalf("%q: entry %d was %v and is %v", k, i, v, b.Data[i])
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, ref := range references {
		f.Add(ref.text)
	}
	for _, ref := range divergenceReferences {
		f.Add(ref.text)
	}
	for _, ref := range dividedReferences {
		f.Add(ref.text)
	}
	for _, text := range []string{
		"softmax(scale=1/sqrt(d", "2*(sne(gamma=median))*3", "t*t", "t+kl", "sne", "rbf", "((linear))", "2*(",
		"1e5*csrbf(sigma2=1e-300,v=auto)", "rbf(gamma=1e)", "a\x00b", "-.e+", "poly(degree=1e6)",
		"rbf(gamma=1|2*median) | laplace(gamma=0.5*scale|1)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		alternatives, err := ParseAll(text)
		if (err == nil) != (len(alternatives) > 0) || len(alternatives) > MaxAlternatives {
			t.Fatalf("%d kernels and %v", len(alternatives), err)
		}
		for _, k := range alternatives {
			if again, err := Parse(k.String()); err != nil || again.String() != k.String() {
				t.Fatalf("%q gives %q, which gives %q, %v", text, k, again, err)
			}
		}
		k, err := Parse(text)
		if err != nil {
			var e *ParseError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Error() == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		again, err := Parse(k.String())
		if err != nil || again.String() != k.String() {
			t.Fatalf("%q gives %q, which gives %q, %v", text, k, again, err)
		}
	})
}

func TestParseAll(t *testing.T) {
	tests := []struct {
		text string
		want []string
		says string
	}{
		{"rbf(gamma=1)", []string{"rbf(gamma=1)"}, ""},
		{" rbf( gamma = 1 | median | 2 * median ) ", []string{
			"rbf(gamma=1)", "rbf(gamma=median)", "rbf(gamma=2*median)",
		}, ""},
		{"linear | cosine()", []string{"linear()", "cosine()"}, ""},
		{"laplace(gamma=1|2) + rbf(gamma=3|4)|linear", []string{
			"laplace(gamma=1) + rbf(gamma=3)", "laplace(gamma=1) + rbf(gamma=4)",
			"laplace(gamma=2) + rbf(gamma=3)", "laplace(gamma=2) + rbf(gamma=4)", "linear()",
		}, ""},
		{"rbf(gamma=1|)", nil, "expected a number, found ')'"},
		{"rbf(gamma=1|0)", nil, "character 13: gamma=0: gamma must be"},
		{"linear |", nil, "expected a kernel, found the end"},
		{"linear | rbf(gama=1)", nil, `did you mean "gamma"?`},
		{"(linear | cosine)", nil, "expected a closing parenthesis"},
		{"rbf(gamma=1|2|1)", nil, "rbf(gamma=1) is listed twice"},
		{"linear cosine", nil, "unexpected 'c'"},
		{"poly(degree=1|2|3|4|5|6, coef0=1|2|3|4|5|6)", nil, "more than 32 kernels"},
		{strings.Repeat(" ", maxText+1), nil, "longer than 65536"},
	}
	for _, test := range tests {
		kernels, err := ParseAll(test.text)
		var got []string
		for _, k := range kernels {
			got = append(got, k.String())
		}
		if test.says != "" {
			var e *ParseError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%q: %v, not %q", test.text, err, test.says)
			}
		} else if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v %s", test.text, err, diff)
		}
	}
}
