// Package app is what all verbs of the command share: streams, global flags, the session that opens files,
// progress, messages and exit codes.
package app
