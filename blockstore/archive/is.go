package archive

import (
	"archive/zip"
	"slices"
)

// IsData reports whether the .npz file at path holds arrays of another program instead of a model.
// It returns false for a file that cannot be read.
func IsData(path string) bool {
	file, err := zip.OpenReader(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return !slices.ContainsFunc(file.File, func(f *zip.File) bool { return f.Name == metaName })
}
