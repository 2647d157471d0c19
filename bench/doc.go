// Package bench holds what measures Nystream and keeps it in shape: programs
// that reproduce the papers' tables (paper1), the data sets they use
// (datasets), and the test that packages import one another only as the design
// allows. Nothing imports bench.
package bench
