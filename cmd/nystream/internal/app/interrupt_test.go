package app

import (
	"io"
	"strings"
	"testing"
)

// The reader of pipes passes on every byte for any sizes of reads.
func TestInterruptibleReadsEverything(t *testing.T) {
	want := strings.Repeat("0123456789", 50_000)
	r := &interruptible{ctx: t.Context(), in: strings.NewReader(want)}
	got, err := io.ReadAll(r)
	if err != nil || string(got) != want {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
}
