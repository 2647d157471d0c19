package quote

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNamesAreQuotedIfNeeded(t *testing.T) {
	for name, want := range map[string]string{
		"height":      `height`,
		"Größe in cm": `Größe in cm`,
		"a\x1b[31mb":  `"a\x1b[31mb"`,
		"a\nb":        `"a\nb"`,
		`say "a"`:     `"say \"a\""`,
		"\xff":        `"\xff"`,
		"":            ``,
	} {
		if got := Bare(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("x", 2<<20), strings.Repeat("é", 1000), strings.Repeat("\xff", 1000)} {
		if got := Name(long); len(got) > 300 || !strings.HasSuffix(got, `…"`) || !utf8.ValidString(got) {
			t.Errorf("%d bytes become %d", len(long), len(got))
		}
	}
	if got := Names(make([]string, 25)); !strings.HasSuffix(got, " and 5 more") {
		t.Error(got)
	}
	if got := Names([]string{"a", "b\t"}); got != `a, "b\t"` {
		t.Error(got)
	}
}
