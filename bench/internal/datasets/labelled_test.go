package datasets

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLabelledShapes: the sizes that the paper states, where the data is there.
func TestLabelledShapes(t *testing.T) {
	for _, want := range []struct {
		name                      string
		rows, columns, classes    int
		smallest, largest, others int // rows of a class, classes of the other division
	}{
		{"wine", 178, 13, 3, 48, 71, 0},
		{"cancer", 683, 9, 2, 239, 444, 0},
		{"face", 624, 20, 20, 28, 32, 4},
		{"mnist", 10000, 784, 10, 892, 1135, 0},
	} {
		if !slices.Contains(LabelledNames(), want.name) {
			t.Logf("%s is not in %s: skipped", want.name, Dir())
			continue
		}
		d, err := LoadLabelled(context.Background(), want.name)
		if err != nil {
			t.Error(err)
			continue
		}
		sizes := make([]int, d.Classes)
		for _, l := range d.Labels {
			sizes[l]++
		}
		others := 0
		if d.Other != nil {
			others = 1 + slices.Max(d.Other)
		}
		if d.X.Rows != want.rows || d.X.Cols != want.columns || d.Classes != want.classes || others != want.others ||
			slices.Min(sizes) != want.smallest || slices.Max(sizes) != want.largest {
			t.Errorf("%s: %d × %d, classes of %v rows, %d other classes; want %v", want.name, d.X.Rows, d.X.Cols, sizes, others, want)
		}
	}
}

// TestMissingValues: rows with a question mark are left out, and other words refused.
func TestMissingValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("1,2,7\n3,?,9\n\n4,5,9\n")
	d, err := labelledFile{name: "t"}.loadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.X.Data, []float64{1, 2, 4, 5}) || !slices.Equal(d.Labels, []int{0, 1}) || d.Classes != 2 {
		t.Errorf("got %v with classes %v", d.X, d.Labels)
	}
	write("1,2,7\n3,x,9\n")
	if _, err := (labelledFile{}).loadTable(path); err == nil {
		t.Error("a word was read as a number")
	}
}

// TestFlower: the pixels are those of the image, each colour once.
func TestFlower(t *testing.T) {
	p, err := Flower()
	if os.IsNotExist(err) {
		t.Skipf("no real data: %v (set NYSTREAM_DATA)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Index) != 4900 || p.Bounds.Dx() != 70 {
		t.Fatalf("%d pixels, %v", len(p.Index), p.Bounds)
	}
	if used := slices.Compact(slices.Sorted(slices.Values(p.Index))); len(used) != p.Colours.Rows {
		t.Errorf("%d colours, of which %d are used", p.Colours.Rows, len(used))
	}
	t.Logf("%d colours", p.Colours.Rows)
}
