// Package rows reads the rows of files and graphs, with annotations such as labels, and writes rows.
package rows
