package stream

// Resetter is implemented by reusable accumulators. Reset empties an accumulator that was merged
// into another, and must not affect the other. A pass then needs only a few accumulators.
type Resetter interface{ Reset() }

// spares is a pool of accumulators that were merged into others.
type spares[A any] struct {
	newAcc func() A
	stock  chan A
}

func newSpares[A any](newAcc func() A, most int) *spares[A] {
	return &spares[A]{newAcc, make(chan A, most)}
}

// get returns an empty accumulator.
func (s *spares[A]) get() A {
	select {
	case a := <-s.stock:
		return a
	default:
		return s.newAcc()
	}
}

// put returns an unused accumulator to the pool.
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
