// Package transport is fit transport in the command: flags, weights, report and pictures of optimal
// transport.
package transport
