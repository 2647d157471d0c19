package report

import "testing"

func TestShellLine(t *testing.T) {
	got := ShellLine([]string{"nystream", "fit", "a b.npy", "", "rbf(gamma=2)", "it's"})
	if want := `nystream fit 'a b.npy' '' 'rbf(gamma=2)' 'it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
