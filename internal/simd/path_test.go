package simd

import "testing"

func TestPathOfTheEnvironment(t *testing.T) {
	available := Available()
	fastest := available[len(available)-1]
	for name, want := range map[string]Path{"": fastest, "go": Go, "no such path": fastest} {
		if got := initial(name); got != want {
			t.Errorf("%s=%q gives the path %v, want %v", PathVariable, name, got, want)
		}
	}
}

// Use panics for a path that the machine lacks.
func TestUseOfAPathThatIsNotThere(t *testing.T) {
	other := NEON
	if _, ok := find(other.String()); ok {
		other = AVX512
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Use(other)
}
