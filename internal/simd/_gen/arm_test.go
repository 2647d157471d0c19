package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// TestWordsAreWhatTheirCommentsSay reads every word of the generated files by an
// independent disassembler.
func TestWordsAreWhatTheirCommentsSay(t *testing.T) {
	files, err := filepath.Glob("../*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of arm64: %v", err)
	}
	seen := map[string]int{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if bits, comment, ok := strings.Cut(strings.TrimSpace(line), " // "); ok && strings.HasPrefix(bits, "WORD $") {
				compareWord(t, path, strings.TrimPrefix(bits, "WORD $"), comment)
				name, _, _ := strings.Cut(comment, " ")
				seen[name]++
			}
		}
	}
	for _, w := range []word{fadd, fsub, fmul, fdiv, fmax, fmin, fabd, fcmeq, fcmgt, fmlaByElement, fsqrt, fneg, cmlt0} {
		name, _, _ := strings.Cut(w.comment, " ")
		if seen[name] == 0 {
			t.Errorf("no %s in the generated files", name)
		}
	}
}

func compareWord(t *testing.T, path, bits, comment string) {
	t.Helper()
	w, err := strconv.ParseUint(bits, 0, 32)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	in, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, uint32(w)))
	if err != nil {
		t.Fatalf("%s: %s (%s): %v", path, bits, comment, err)
	}
	if got := strings.TrimPrefix(arm64asm.GoSyntax(in, 0, nil, nil), "V"); got != comment {
		t.Errorf("%s: %s is %s, and said to be %s", path, bits, got, comment)
	}
}

// TestCounts holds the walk to what qemu counted of the same tiles (-singlestep
// -d exec,nochain; the difference of two tiles and one), and the exponential of a
// squared distance in 20 columns to 1.6 times the least.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		base, profile uint64
		want          int
	}{{0, 0, 633}, {1, 1, 1451}} {
		counts, err := countTile(microBody(), 20, c.base, c.profile)
		total := 0
		for _, n := range counts {
			total += n
		}
		if err != nil || total != c.want {
			t.Errorf("base %d, profile %d: %d instructions (%v), qemu counts %d", c.base, c.profile, total, err, c.want)
		}
	}
	if total, least, err := rbf.count(20); err != nil || total > 1.6*least {
		t.Errorf("%.1f instructions an entry, least %.1f (%v)", total, least, err)
	}
}
