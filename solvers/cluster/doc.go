// Package cluster groups rows: k-means (Lloyd 1982, with the seeds of Arthur and
// Vassilvitskii 2007) and spectral clustering (Ng, Jordan and Weiss 2001) of a
// kernel that is given by low-rank factors.
//
// Results are the same bits for any number of threads: random choices belong to
// row numbers, and sums are made in the fixed tree of package stream.
package cluster
