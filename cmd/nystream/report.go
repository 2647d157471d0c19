package main

import (
	"encoding/json"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// print writes a result to the standard output, or if that carries rows to the standard
// error: v as JSON, or t. Output files
// are complete by then, and stay when it fails.
func (a *app) print(v any, t *show.Text) error {
	a.progress.clear()
	if err := a.encode(v, t); err != nil {
		return fmt.Errorf("the report could not be printed: %w", err)
	}
	return nil
}

func (a *app) encode(v any, t *show.Text) error {
	if a.json() {
		return json.NewEncoder(a.reportTo()).Encode(v)
	}
	return t.Write(a.reportTo())
}
