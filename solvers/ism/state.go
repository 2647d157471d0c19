package ism

import (
	"github.com/nystream/nystream/solvers/lowrank"
)

// Method is what the header of a saved model of this package calls it.
const Method = "ism"

// Header is what a saved model says about itself in words and numbers; the rest is in
// arrays. It marshals to JSON.
type Header struct {
	Method   string   `json:"method"` // "ism"
	Kernel   string   `json:"kernel"`
	Paradigm string   `json:"paradigm"`
	Engine   string   `json:"engine"`
	Seed     uint64   `json:"seed"`
	Rows     int64    `json:"rows"`
	Dim      int      `json:"dim"`
	Columns  []string `json:"columns"`
}

// Save gives the model as a header and arrays: w (d×q) and values (q).
func (m *Model) Save() (Header, []lowrank.Array) { return m.save() }

// Load rebuilds a model from what Save gave; a kernel of one's own needs its profile.
// Every shape is checked, and that W is orthonormal.
func Load(h Header, arrays []lowrank.Array, profiles ...Profile) (*Model, error) {
	return load(h, arrays, profiles)
}
