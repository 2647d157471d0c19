package report

// PutClasses adds the names of the classes, if there are any.
func PutClasses(r *Report, classes []string) {
	if len(classes) > 0 {
		r.Show(KeyClasses, classes, "classes", "%d: %s", len(classes), Words(classes))
	}
}

// PutClusters adds the number of clusters and the rows of each, if there are any. labels is nil if unknown.
func PutClusters(r *Report, labels []int, clusters int) {
	r.PutSome(KeyClusters, clusters)
	if labels == nil {
		return
	}
	sizes, words := make([]int, clusters), make([]string, clusters)
	for _, l := range labels {
		sizes[l]++
	}
	for i, n := range sizes {
		words[i] = Count(int64(n))
	}
	r.Show(KeyClusterSizes, sizes, "clusters", "%d, of %s rows", clusters, Words(words))
}
