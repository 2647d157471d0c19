// Package cluster groups rows by k-means (Lloyd 1982, with the seeds of Arthur and
// Vassilvitskii 2007).
//
// Results are the same bits for any number of threads: random choices are keyed by row numbers, and sums follow the
// fixed tree of package stream.
package cluster
