package main

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/solvers/lowrank"
)

// TestLandmarkCell: more landmarks lower the measured errors.
func TestLandmarkCell(t *testing.T) {
	x := datasets.Uniform(300, 3, 7)
	few, err := landmarkCell(context.Background(), lowrank.Landmark{Rank: 10, Landmarks: 10, Core: 20}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	many, err := landmarkCell(context.Background(), lowrank.Landmark{Rank: 10, Landmarks: 100, Core: 20}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := strings.Fields(few), strings.Fields(many); len(a) != 3 || len(b) != 3 || !(number(t, b[0]) < number(t, a[0])) {
		t.Errorf("10 landmarks: %s; 100 landmarks: %s", few, many)
	}
}

// number parses a cell of a table.
func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
