package input

import (
	"errors"
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

func TestCheckRows(t *testing.T) {
	info := stream.Info{Name: "rows", Columns: []string{"a", "b"}}
	m := matrix.New(5, 2)
	if err := CheckRows(info, m, 100); err != nil {
		t.Error(err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(-1)} {
		m.Data[7] = v
		var bad *stream.DataError
		if err := CheckRows(info, m, 100); !errors.As(err, &bad) || bad.Row != 103 || bad.Column != "b" || bad.Path != "rows" {
			t.Errorf("%v: %v", v, err)
		}
	}
	other := errors.New("another error")
	if err := InSource(info, other, Numbers{}); err != other {
		t.Errorf("%v became %v", other, err)
	}
}
