package main

import (
	"strings"
	"testing"
)

func TestCases(t *testing.T) {
	seen := make(map[fitCase]bool)
	for _, c := range cases {
		seen[c] = true
		if !strings.Contains(c.settings, "--kernel ") || c.rows < 1000 {
			t.Errorf("%s", c)
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d different cases", len(seen))
	}
}

func TestParse(t *testing.T) {
	if o, err := parse([]string{"-only", "landmark,rff"}); err != nil || len(o.only) != 2 || o.within != 1.5 {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := parse([]string{"-only", "landmrk"}); err == nil {
		t.Error("an unknown method is taken")
	}
}
