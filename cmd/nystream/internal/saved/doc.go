// Package saved is the files of models, and the files of rows that were written with them.
package saved
