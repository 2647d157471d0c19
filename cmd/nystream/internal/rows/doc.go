// Package rows reads the rows of files and graphs, with auxiliary values such as labels, and writes rows.
package rows
