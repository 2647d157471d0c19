package kernelgen

import (
	"fmt"
	"math"
)

// Sum returns k_1(x,y) + k_2(x,y) + …. It panics without kernels, or if one of several is normalised by its row sums.
func Sum(kernels ...Kernel) Kernel {
	k, err := sum(kernels)
	if err != nil {
		panic("kernelgen: " + err.Error())
	}
	return k
}

// Product returns k_1(x,y)·k_2(x,y)·…, where zero times an infinite factor is zero. It panics without kernels, if one
// of several is normalised by its row sums, or if the product of the weights is not positive and finite.
func Product(kernels ...Kernel) Kernel {
	k, err := product(kernels)
	if err != nil {
		panic("kernelgen: " + err.Error())
	}
	return k
}

// Scale returns weight·k(x,y). It panics unless the weight is positive and finite.
func Scale(weight float64, k Kernel) Kernel {
	k, err := scale(weight, k)
	if err != nil {
		panic("kernelgen: " + err.Error())
	}
	return k
}

func sum(kernels []Kernel) (Kernel, error) {
	checkKernels(kernels)
	var terms []term
	for _, k := range kernels {
		terms = append(terms, k.terms...)
	}
	return Kernel{terms: terms, cols: commonCols(kernels)}, checkAlone(kernels)
}

// product multiplies weights and joins the factors. A sum becomes a single factor.
func product(kernels []Kernel) (Kernel, error) {
	checkKernels(kernels)
	if len(kernels) == 1 {
		return kernels[0], nil
	}
	t := term{weight: 1}
	for _, k := range kernels {
		w, factors := k.asProduct()
		t.weight *= w
		t.factors = append(t.factors, factors...)
	}
	if err := checkAlone(kernels); err != nil {
		return Kernel{}, err
	}
	return Kernel{terms: []term{t}, cols: commonCols(kernels)}, checkWeight(t.weight)
}

func scale(weight float64, k Kernel) (Kernel, error) {
	checkKernels([]Kernel{k})
	if err := checkWeight(weight); err != nil || weight == 1 {
		return k, err
	}
	w, factors := k.asProduct()
	t := term{weight: weight * w, factors: factors}
	if t.weight == 1 && len(factors) == 1 && factors[0].sum != nil {
		return Kernel{terms: factors[0].sum, cols: k.cols}, nil
	}
	return Kernel{terms: []term{t}, cols: k.cols}, checkWeight(t.weight)
}

// asProduct returns the kernel as one weighted product.
func (k Kernel) asProduct() (weight float64, factors []factor) {
	if len(k.terms) == 1 {
		return k.terms[0].weight, k.terms[0].factors
	}
	return 1, []factor{{sum: k.terms}}
}

func checkWeight(w float64) error {
	if !(w > 0) || math.IsInf(w, 1) {
		return fmt.Errorf("weight %s: the weight of a kernel must be a positive finite number", formatNumber(w))
	}
	return nil
}

func checkKernels(kernels []Kernel) {
	if len(kernels) == 0 {
		panic("kernelgen: no kernel to combine")
	}
	for _, k := range kernels {
		if len(k.terms) == 0 {
			panic("kernelgen: the zero Kernel cannot be combined")
		}
	}
}

// commonCols returns the number of columns all kernels were resolved for, or 0.
func commonCols(kernels []Kernel) int {
	for _, k := range kernels {
		if k.cols != kernels[0].cols {
			return 0
		}
	}
	return kernels[0].cols
}
