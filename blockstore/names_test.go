package blockstore

import "testing"

func TestInUTF8(t *testing.T) {
	for name, want := range map[string]string{"": "", "größe": "größe", "caf\xe9": "caf%E9", "\xff\xfeé\x80": "%FF%FEé%80", "\ufffd": "\ufffd", "日本"[:4]: "日%E6"} {
		if got := inUTF8(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
