package fit

import "testing"

// Shard accepts a part such as 3/8 and nothing else.
func TestShardFlag(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "3/8": {3, 8}, "64/64": {64, 64}} {
		var s Shard
		if err := s.Set(text); err != nil || s != want || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "3", "0/8", "9/8", "-1/8", "3/8/2", "3/8 ", "03/8", "1/99999999999", "a/b"} {
		var s Shard
		if err := s.Set(text); err == nil || s != (Shard{}) {
			t.Errorf("%q was taken as %v", text, s)
		}
	}
}
