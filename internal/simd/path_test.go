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

func TestUseOfAPathThatIsNotThere(t *testing.T) {
	if _, ok := find(AVX512.String()); ok {
		t.Skip("this machine has every path: needs one without AVX-512, or -tags noasm")
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Use(AVX512)
}
