package main

import "github.com/nystream/nystream/cmd/nystream/internal/report"

// putClasses adds the names of the classes, if there are any.
func putClasses(r *report.Report, classes []string) {
	if len(classes) > 0 {
		r.Show(report.KeyClasses, classes, "classes", "%d: %s", len(classes), report.Words(classes))
	}
}

// putClusters adds the number of clusters and the rows of each, if there are any; labels are nil if
// they are not known.
func putClusters(r *report.Report, labels []int, clusters int) {
	r.PutSome(report.KeyClusters, clusters)
	if labels == nil {
		return
	}
	sizes, words := make([]int, clusters), make([]string, clusters)
	for _, l := range labels {
		sizes[l]++
	}
	for i, n := range sizes {
		words[i] = report.Count(int64(n))
	}
	r.Show(report.KeyClusterSizes, sizes, "clusters", "%d, of %s rows", clusters, report.Words(words))
}
