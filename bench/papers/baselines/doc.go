// Package baselines holds methods that serve comparison alone: for what they do, those
// of solvers/lowrank are better. They are fitted as these are.
//
//   - [FastSPSD]: Wang, Luo & Zhang (2016), least squares without a shift;
//     [FastSPSDLeverage] draws the rows of its core by leverage.
//   - [PolySketch]: TensorSketch features, for polynomials and exponentials of an inner
//     product.
package baselines
