package kernelgen

// Curve is a function of a base: a factor times a profile, or the factor alone.
type Curve struct {
	Factor float64
	Flat   bool // the curve is constant, equal to Factor

	profile profile
	psd     bool
}

// PositiveSemiDefinite reports whether the curve divided by its factor is known to be a positive semi-definite kernel
// for every data set.
func (c Curve) PositiveSemiDefinite() bool { return c.psd }

// WithoutFactor returns the curve divided by its factor.
func (c Curve) WithoutFactor() Curve {
	c.Factor = 1
	return c
}

// Apply replaces values of the base by values of the curve. w is scratch memory; nil allocates it.
func (c Curve) Apply(v []float64, w *Workspace) {
	if c.Flat {
		for i := range v {
			v[i] = c.Factor
		}
		return
	}
	c.profile.runAll(v, w)
	if c.Factor != 1 {
		for i := range v {
			v[i] *= c.Factor
		}
	}
}

// At returns the value of the curve at one value of the base.
func (c Curve) At(base float64) float64 {
	v := []float64{base}
	c.Apply(v, nil)
	return v[0]
}

// runAll turns any number of base values into kernel values, in place.
func (p *profile) runAll(v []float64, w *Workspace) {
	if p.apply == nil {
		p.fused.Apply(v)
		return
	}
	if w == nil {
		w = new(Workspace)
	}
	tmp := w.take(blockSize)
	for first := 0; first < len(v); first += blockSize {
		part := v[first:min(first+blockSize, len(v))]
		p.apply(part, tmp[:len(part)])
	}
	w.give(tmp)
}
