package kernelgen_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
)

func TestWith(t *testing.T) {
	for _, c := range []struct{ kernel, parameter, value, want string }{
		{"sne(gamma=1)", "gamma", "0.5", "sne(gamma=0.5)"},
		{"rbf(sigma=1)", "gamma", "2", "rbf(gamma=2)"},
		{"rbf(gamma=1)", "gamma", " median ", "rbf(gamma=median)"},
		{"rbf(gamma=median)", "gamma", "3", "rbf(gamma=3)"},
		{"2*rbf(gamma=1) + laplace(gamma=1)", "laplace.gamma", "4", "2*rbf(gamma=1) + laplace(gamma=4)"},
		{"linear()*(rbf(gamma=1) + poly(degree=2))", "degree", "3", "linear()*(rbf(gamma=1) + poly(degree=3, gamma=auto, coef0=1))"},
		{"softmax(scale=1)", "scale", "1/sqrt(d)", "softmax(scale=1/sqrt(d))"},
	} {
		k, err := kernelgen.Parse(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		before := k.String()
		got, err := k.With(c.parameter, c.value)
		if err != nil || got.String() != c.want {
			t.Errorf("%s with %s=%s: %v, %v", c.kernel, c.parameter, c.value, got, err)
		}
		if k.String() != before {
			t.Errorf("%s became %s", before, k)
		}
	}
	for _, c := range []struct{ kernel, parameter, value, want string }{
		{"rbf(gamma=1) + laplace(gamma=1)", "gamma", "2", "as in rbf.gamma"},
		{"rbf(gamma=1)", "degree", "2", "it has rbf.gamma, rbf.sigma2, rbf.sigma"},
		{"linear()", "gamma", "2", "it has none"},
		{"rbf(gamma=1)", "gamma", "-2", "a positive finite number"},
		{"rbf(gamma=1)", "gamma", "2x", "unexpected 'x'"},
		{"rbf(gamma=1)", "sne.gamma", "2", "no parameter"},
	} {
		k, err := kernelgen.Parse(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.With(c.parameter, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s=%s: %v", c.kernel, c.parameter, c.value, err)
		}
	}
}

// TestSame: kernels of one text are the same but for profiles of a user, of which the name says
// nothing.
func TestSame(t *testing.T) {
	own := func() kernelgen.Kernel {
		return kernelgen.New(kernelgen.Profile{Name: "own", Base: kernelgen.InnerProduct, F: math.Abs})
	}
	one, other := own(), own()
	for _, c := range []struct {
		a, b kernelgen.Kernel
		same bool
	}{
		{kernelgen.RBF(1), kernelgen.RBF(1), true}, {kernelgen.RBF(1), kernelgen.RBF(2), false}, {one, one, true}, {one, other, false},
		{kernelgen.Sum(kernelgen.RBF(1), one), kernelgen.Sum(kernelgen.RBF(1), one), true}, {kernelgen.Sum(one, other), kernelgen.Sum(other, one), false},
	} {
		if c.a.Same(c.b) != c.same {
			t.Errorf("%v and %v: same %v", c.a, c.b, !c.same)
		}
	}
}
