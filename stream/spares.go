package stream

// Resetter is implemented by accumulators that can be used again: Reset makes
// one that was merged into another as good as new, and shares nothing with the
// other. A pass then makes a few accumulators and no more.
type Resetter interface{ Reset() }

// spares is a stock of accumulators that were merged into others.
type spares[A any] struct {
	newAcc func() A
	stock  chan A
}

func newSpares[A any](newAcc func() A, most int) *spares[A] {
	return &spares[A]{newAcc, make(chan A, most)}
}

// get returns an accumulator that has seen nothing.
func (s *spares[A]) get() A {
	select {
	case a := <-s.stock:
		return a
	default:
		return s.newAcc()
	}
}

// put takes back an accumulator that nobody uses.
func (s *spares[A]) put(a A) {
	r, ok := any(a).(Resetter)
	if !ok {
		return
	}
	r.Reset()
	select {
	case s.stock <- a:
	default:
	}
}
