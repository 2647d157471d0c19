package metrics

import "math"

// ShareError returns the standard error of a proportion of n observations: half of the longer arm of Wilson's interval
// of two standard errors (Wilson 1927, "Probable inference, the law of succession, and statistical inference"). The
// interval lies within share ± 2·ShareError. For large n it approaches √(share·(1 − share)/n). For the share 0, where
// that formula gives 0, it is 2/(n + 4). It is NaN if n is 0.
func ShareError(share, n float64) float64 {
	return ShareErrorOf(share, share*(1-share)/n, n)
}

// ShareErrorOf is [ShareError] for a share with the given variance, such as one of weighted or grouped observations. n
// is the effective number of observations.
func ShareErrorOf(share, variance, n float64) float64 {
	if !(n > 0) {
		return math.NaN()
	}
	center := (share + 2/n) / (1 + 4/n)
	half := 2 * math.Sqrt(variance+1/(n*n)) / (1 + 4/n)
	return (math.Abs(center-share) + half) / 2
}
