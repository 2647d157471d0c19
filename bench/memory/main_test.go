package main

import (
	"strings"
	"testing"
)

func TestCases(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range cases() {
		seen[c.String()] = true
		if files[c.file] == nil || !strings.Contains(c.command, " DATA") {
			t.Errorf("%s", c)
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d different cases", len(seen))
	}
}

func TestShare(t *testing.T) {
	for share, m := range map[float64]measured{
		0.5: {first: 20, least: 40, allowed: 40, peak: 20},
		0.9: {first: 10, least: 40, need: 100, allowed: 100, peak: 90},
		1.5: {first: 150, least: 40, need: 100, allowed: 100, peak: 90},
	} {
		if got := m.share(); got != share {
			t.Errorf("%+v: %g", m, got)
		}
	}
}
