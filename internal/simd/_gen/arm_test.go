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

// An independent disassembler (golang.org/x/arch) reads every word of the generated files as its comment says.
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
	for _, w := range []word{fadd, fsub, fmul, fdiv, fmax, fmin, fabd, fcmeq, fcmgt, fmlaByElement, fsqrt, fneg} {
		name, _, _ := strings.Cut(w.comment, " ")
		if seen[name] == 0 {
			t.Errorf("no %s in the generated files", name)
		}
	}
}

// compareWord disassembles one word and compares it with its comment.
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
