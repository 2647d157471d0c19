// Package saved reads and writes model files, and checks the files of rows that were written with them.
package saved
