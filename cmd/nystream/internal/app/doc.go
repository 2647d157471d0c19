// Package app has the parts common to all verbs of the command: standard streams, global flags, the session that opens
// files, progress, messages and exit codes.
package app
