package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
)

// TestInterruptedFitsGoOn interrupts fits at random moments and runs them again until
// they end: their models have the bytes of an undisturbed fit.
func TestInterruptedFitsGoOn(t *testing.T) {
	folder := t.TempDir()
	random, interruptions := rand.New(rand.NewPCG(1, 2)), 0
	if err := writeTable(folder+"/x.npy", rows.Numbered("x", 4), uniformRows(20_000, 4)); err != nil { // three blocks
		t.Fatal(err)
	}
	for name, flags := range map[string]string{
		"s3spsd":   "--rank 12 --kernel rbf(gamma=0.5)",
		"landmark": "--rank 12 --kernel rbf(gamma=median) --scale standard --nulls drop",
		"ssrsvd":   "--rank 10 --kernel laplace(gamma=0.2) --right " + folder + "/x.npy",
	} {
		fit := append([]string{"fit", name, folder + "/x.npy"}, strings.Fields(flags)...)
		began := time.Now()
		want := fitted(t, t.Context(), folder, fit)
		alone := time.Since(began)
		var got []byte
		tries := 0
		for ; got == nil; tries++ {
			if tries == 200 {
				t.Fatalf("%s: interrupted 200 times", name)
			}
			// More and more time, since another load may have come to the machine.
			most := float64(alone) * random.Float64() * (1 + float64(tries)/8)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(most))
			got = fitted(t, ctx, folder, append(slices.Clone(fit), "--checkpoint", folder+"/states", "--checkpoint-every", "5ms"))
			cancel()
		}
		if interruptions += tries - 1; !bytes.Equal(got, want) {
			t.Errorf("%s: another model after %d interruptions", name, tries-1)
		}
	}
	if interruptions == 0 {
		t.Error("no fit was interrupted")
	}
}

// fitted runs a fit and returns the bytes of the model, nil if it was interrupted.
func fitted(t *testing.T, ctx context.Context, folder string, args []string) []byte {
	t.Helper()
	path := filepath.Join(folder, "m.npz")
	var messages strings.Builder
	code := run(ctx, append(slices.Clone(args), "-o", path), nil, io.Discard, &messages)
	data, err := os.ReadFile(path)
	switch {
	case code == app.ExitInterrupted && err != nil:
		return nil
	case code != app.ExitOK || err != nil:
		t.Fatalf("exit code %d, %v: %s", code, err, messages.String())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSavedFitsMove: a fit whose files have moved reads those that are named instead, and a
// folder of another fit is refused by what differs.
func TestSavedFitsMove(t *testing.T) {
	s := &fit.SavedFit{Method: "ssrsvd", Data: []string{"a b.npy"}, Result: map[string]string{"rank": "3"}, Locates: map[string]string{"right": `"r,1.npy",r2.npy`}}
	if !s.FilesMissing() {
		t.Error("files that are not there are not missed")
	}
	s.Move([]string{"d,1.npy"}, []string{"e.npy", "f,2.npy"})
	if fmt.Sprint(s.Data) != "[d,1.npy]" || s.Locates["right"] != `e.npy,"f,2.npy"` {
		t.Errorf("%v, %v", s.Data, s.Locates)
	}
	m := &fit.SavedFit{Method: "ssrsvd", Result: map[string]string{"rank": "3"}, Locates: map[string]string{"matrix": "m.npy"}}
	if m.Move([]string{"n.npy"}, nil); m.Locates["matrix"] != "n.npy" || len(m.Data) != 0 {
		t.Errorf("%v, %v", m.Data, m.Locates)
	}
	folder := t.TempDir()
	for _, c := range []struct {
		fit  *fit.SavedFit
		want string
	}{
		{s, ""},
		{m, ""}, // its files are elsewhere, and it is the same fit
		{&fit.SavedFit{Method: "s3spsd", Result: map[string]string{"rank": "3"}}, "fit ssrsvd, not s3spsd"},
		{&fit.SavedFit{Method: "ssrsvd", Result: map[string]string{"rank": "4"}}, "--rank 3, not 4"},
		{&fit.SavedFit{Method: "ssrsvd", Result: map[string]string{"rank": "3", "nnz": "2"}}, "without --nnz 2"},
		{&fit.SavedFit{Method: "ssrsvd", Result: map[string]string{}}, "with --rank 3"},
	} {
		if err := c.fit.Write(folder); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, not %q", c.fit, err, c.want)
		}
	}
}
