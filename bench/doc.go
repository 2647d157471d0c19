// Package bench holds what measures Nystream and keeps it in shape: programs that
// reproduce the papers' tables (paper1 to paper5), the data sets they use (datasets,
// graphs), the methods and figures that serve comparison alone (baselines, lssvm,
// scores), what kills fits to see that they go on (kills), what more cores cannot make
// faster (serial), what a cluster would take (cluster), the errors of models of a
// matrix on disk (matrix), and the test that packages import one another only as the design
// allows. Nothing imports bench.
package bench
