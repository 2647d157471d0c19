package family

import (
	"context"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

type noted struct{ model.Report }

// TestKernelsWithoutSuitableRows: kernels that do not suit the rows are dropped with a note; if none remains the fit
// fails. The substitute for a median is noted once.
func TestKernelsWithoutSuitableRows(t *testing.T) {
	parse := func(text string) []kernelgen.Kernel {
		kernels, err := kernelgen.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		return kernels
	}
	x := matrix.New(10, 1)
	x.Data[3], x.Data[4] = -1, 2
	d := model.Sources{Left: stream.FromMatrix("x", x)}
	resolve := func(text string) (*noted, []kernelgen.Kernel, error) {
		var kernels []kernelgen.Kernel
		f, err := RunFit(t.Context(), stream.Engine{}, nil, d, kernelgen.Kernel{}, func(ctx context.Context, e stream.Engine, d model.Sources, _ kernelgen.Kernel) (*noted, error) {
			var err error
			kernels, err = ResolveAll(ctx, e, d, parse(text), 1)
			return new(noted), err
		})
		return f, kernels, err
	}
	f, kernels, err := resolve("kl*rbf(gamma=median) | rbf(gamma=median) | gaussian(sigma=median) | rbf(gamma=2*median)")
	if err != nil || len(kernels) != 3 || len(f.Notes) != 2 || !strings.HasPrefix(f.Notes[0], "kernel kl(a=1)*rbf(gamma=median) is left out") ||
		!strings.Contains(f.Notes[1], "the mean of the other distances") {
		t.Errorf("%v, notes %q, %v", kernels, f.Notes, err)
	}
	if _, _, err = resolve("kl*rbf(gamma=median) | kl(a=2)"); err == nil || !strings.Contains(err.Error(), "kl(a=1)") {
		t.Errorf("no kernel is left, and the error is %v", err)
	}
}
