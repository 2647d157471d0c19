// Package verb has the verbs that read models or files: transform, predict, verify, inspect, convert, demo.
package verb
