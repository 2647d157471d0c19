// Package cluster groups rows by k-means (Lloyd 1982, with the seeds of Arthur and
// Vassilvitskii 2007).
//
// Results are the same bits for any number of threads: random choices belong to
// row numbers, and sums are made in the fixed tree of package stream.
package cluster
