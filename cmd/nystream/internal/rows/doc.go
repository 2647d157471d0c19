// Package rows reads the rows of files and graphs with what is said of each row, and writes rows.
package rows
