package ism

import "github.com/nystream/nystream/solvers/internal/words"

// Weights says where the weights of the terms of a kernel come from.
type Weights uint8

const (
	// Given takes the weights that the kernel has.
	Given Weights = iota
	// Independent gives each term its own alignment with Γ over the norm of its centred
	// kernel (Cortes, Mohri & Rostamizadeh 2012, §3.1, "align", for kernels that have been
	// given norm 1). No kernel like Γ is left out then, where the best sum may do with one.
	Independent
	// Aligned gives the terms the weights that make their sum most like Γ, those of
	// alignment maximisation (Cortes, Mohri & Rostamizadeh 2012, Proposition 9, "alignf").
	Aligned
)

// String returns the word for the weights: given, independent or aligned.
func (w Weights) String() string { return words.Of(weightWords, w) }
