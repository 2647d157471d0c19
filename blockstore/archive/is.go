package archive

import (
	"archive/zip"
	"slices"
)

// IsData reports whether the .npz file at path is no model but holds arrays of another
// program. A file that cannot be read is none.
func IsData(path string) bool {
	file, err := zip.OpenReader(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return !slices.ContainsFunc(file.File, func(f *zip.File) bool { return f.Name == metaName })
}
