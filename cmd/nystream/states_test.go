package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestInterruptedFitsGoOn interrupts fits at random moments and runs them again until
// they end: their models have the bytes of an undisturbed fit.
func TestInterruptedFitsGoOn(t *testing.T) {
	folder := t.TempDir()
	random, interruptions := rand.New(rand.NewPCG(1, 2)), 0
	if err := writeTable(folder+"/x.npy", numbered("x", 4), uniformRows(20_000, 4)); err != nil { // three blocks
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
	case code == exitInterrupted && err != nil:
		return nil
	case code != exitOK || err != nil:
		t.Fatalf("exit code %d, %v: %s", code, err, messages.String())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestShardFlag takes a part and nothing else.
func TestShardFlag(t *testing.T) {
	for text, want := range map[string]shard{"1/1": {1, 1}, "3/8": {3, 8}, "64/64": {64, 64}} {
		var s shard
		if err := s.Set(text); err != nil || s != want || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "3", "0/8", "9/8", "-1/8", "3/8/2", "3/8 ", "03/8", "1/99999999999", "a/b"} {
		var s shard
		if err := s.Set(text); err == nil || s != (shard{}) {
			t.Errorf("%q was taken as %v", text, s)
		}
	}
}

// TestSavedFits: the command line that states keep is that of the fit, with other data
// if any are named.
func TestSavedFits(t *testing.T) {
	s := &savedFit{Method: "ssrsvd", Data: []string{"a b.npy", "-c.npy"}, Flags: []string{"--rank=3", `--right="r,1.npy",r2.npy`}}
	for _, c := range []struct{ data, right, want []string }{
		{nil, nil, []string{"fit", "ssrsvd", "--rank=3", `--right="r,1.npy",r2.npy`, "-o=m.npz", "--", "a b.npy", "-c.npy"}},
		{[]string{"d.npy"}, []string{"e.npy"}, []string{"fit", "ssrsvd", "--rank=3", "--right=e.npy", "-o=m.npz", "--", "d.npy"}},
	} {
		if got := s.args(c.data, c.right, []string{"-o=m.npz"}); !slices.Equal(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	s = &savedFit{Method: "ssrsvd", Flags: []string{"--rank=3", "--matrix=m.npy"}}
	if got, want := fmt.Sprint(s.args([]string{"n.npy"}, nil, nil)), "[fit ssrsvd --rank=3 --matrix=n.npy --]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// TestFoldersForStates refuses what cannot hold states.
func TestFoldersForStates(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var usage *usageError
	if err := (&stateFlags{checkpoint: file}).checkFolder(); !errors.As(err, &usage) {
		t.Errorf("a file: %v", err)
	}
	if err := (&stateFlags{checkpoint: filepath.Join(file, "below")}).checkFolder(); !errors.As(err, &usage) {
		t.Errorf("below a file: %v", err)
	}
	if err := (&stateFlags{folder: filepath.Join(folder, "none")}).checkFolder(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder to read: %v", err)
	}
	if err := (&stateFlags{folder: filepath.Join(folder, "made", "deep"), shard: shard{1, 2}}).checkFolder(); err != nil {
		t.Errorf("a folder to make: %v", err)
	}
}

// TestForgedTexts: a command line that is not that of the fit makes no model, though its
// checksum was made anew.
func TestForgedTexts(t *testing.T) {
	folder := t.TempDir()
	data, states := filepath.Join(folder, "x.csv"), filepath.Join(folder, "st")
	var rows strings.Builder
	rows.WriteString("a,b,class,group\n")
	for i := range 200 {
		fmt.Fprintf(&rows, "%d,%d,%d,%d\n", i*i%17, i%13, i%2, i%3)
	}
	if err := os.WriteFile(data, []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	command := func(words string) (int, string) {
		var messages strings.Builder
		code := run(t.Context(), strings.Fields(words), nil, io.Discard, &messages)
		return code, messages.String()
	}
	if code, text := command("fit landmark " + data + " --columns a,b --label class --kernel rbf --rank 3 --shard 1/1 --states " + states); code != exitOK {
		t.Fatalf("exit code %d: %s", code, text)
	}
	path := filepath.Join(states, "0001-fit.1-of-1.state")
	state, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := 16 + binary.LittleEndian.Uint64(state[8:])
	head := bytes.Replace(state[:end], []byte(`label=class`), []byte(`label=group`), 1)
	sum := sha256.Sum256(head)
	if err := os.WriteFile(path, slices.Concat(head, sum[:], state[int(end)+len(sum):]), 0o666); err != nil {
		t.Fatal(err)
	}
	code, text := command("merge --states " + states + " -o " + filepath.Join(folder, "m.npz"))
	if code != exitData || !strings.Contains(text, `it was made with "--label class", and this is with "--label group"`) {
		t.Errorf("exit code %d: %s", code, text)
	}
}
