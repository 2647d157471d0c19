package metrics

import "math"

// ShareError returns the standard error of a share of n observations: half of the longer arm of Wilson's
// interval of two standard errors (Wilson 1927, "Probable inference, the law of succession, and statistical
// inference"). share ± 2·ShareError contains that interval. The error of the share 0 is 2/(n + 4), where
// √(share·(1 − share)/n) is 0; both agree for large n. It is NaN for no observations.
func ShareError(share, n float64) float64 {
	return ShareErrorOf(share, share*(1-share)/n, n)
}

// ShareErrorOf is [ShareError] for a share whose variance is not share·(1 − share)/n, such as that of weighted or
// grouped observations. n is then the effective number of observations.
func ShareErrorOf(share, variance, n float64) float64 {
	if !(n > 0) {
		return math.NaN()
	}
	center := (share + 2/n) / (1 + 4/n)
	half := 2 * math.Sqrt(variance+1/(n*n)) / (1 + 4/n)
	return (math.Abs(center-share) + half) / 2
}
