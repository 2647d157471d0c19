// Package transport implements fit transport: flags, weights, report and charts for optimal transport.
package transport
