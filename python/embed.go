// Package python holds the reader of models for Python, which the command prints; the folder
// beside it is the Python package of the wheels.
package python

import _ "embed"

// Reader is the source of nystream/model.py, which needs NumPy alone.
//
//go:embed nystream/model.py
var Reader string
