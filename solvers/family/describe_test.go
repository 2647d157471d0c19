package family

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// described returns the text of a value in the identity of states.
func described(v any) string {
	w := &describer{}
	w.add("method", reflect.ValueOf(v))
	return w.text()
}

// TestDescribe: every field is part of the text, exported or not, unless its tag excludes it.
func TestDescribe(t *testing.T) {
	type inner struct{ Memory float64 }
	type settings struct {
		Memory  int64
		Limit   int64 `states:"ignored"`
		hidden  string
		Inner   *inner
		Weights []float64
	}
	base := settings{1, 2, "a", &inner{3}, []float64{4}}
	limited := base
	limited.Limit = 5
	if described(base) != described(limited) {
		t.Error("an ignored field decides")
	}
	for name, change := range map[string]func(s *settings){
		"Memory":       func(s *settings) { s.Memory++ },
		"hidden":       func(s *settings) { s.hidden = "b" },
		"Inner.Memory": func(s *settings) { s.Inner = &inner{3.0000000000000004} },
		"no Inner":     func(s *settings) { s.Inner = nil },
		"Weights":      func(s *settings) { s.Weights = []float64{4, 0} },
		"long Weights": func(s *settings) { s.Weights = make([]float64, longestList+1) },
	} {
		other := base
		change(&other)
		if described(base) == described(other) {
			t.Errorf("%s does not decide", name)
		}
	}
}

// TestDescribeRefuses: a field of an unsupported type panics with its name and a remedy.
func TestDescribeRefuses(t *testing.T) {
	for _, v := range []any{
		struct{ Words map[string]int }{}, struct{ Words func(float64) float64 }{}, struct{ Words chan int }{},
		struct{ Words complex128 }{}, struct{ Words []func() }{make([]func(), 1)},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, "Words") || !strings.Contains(said, "states:") {
					t.Errorf("%T: %s", v, said)
				}
			}()
			described(v)
		}()
	}
}
