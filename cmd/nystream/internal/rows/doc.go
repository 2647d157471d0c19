// Package rows reads the rows of files and graphs, with asides such as labels, and writes rows.
package rows
