package main

import (
	"fmt"
	"math"
)

// costs are what a fit costs, in processor seconds and bytes.
type costs struct {
	blockRows float64
	rowBytes  float64 // of the file
	block     float64 // to read a block and add it
	replay    float64 // to come to the pass: start, open, draw, read the landmarks that another has fetched
	fetch     float64 // to fetch the landmarks
	landmarks float64 // rows that are fetched
	state     float64 // bytes of the state of a part
	join      float64 // to put a state to others
	end       float64 // from the joined state to the model, replay included
}

func (c *costs) blocks(rows float64) int { return int(math.Ceil(rows / c.blockRows)) }

// cluster is what a fit would run on.
type cluster struct {
	workers, cores int
	speed          float64 // of storage, bytes a second for each worker
}

// What is assumed of a cluster.
const (
	latency  = 0.02    // seconds of a request to storage
	requests = 8.0     // that a worker has under way
	chunk    = 1 << 20 // bytes that are read to fetch one row
	fileRows = 1e8
	uneven   = 1.25           // the largest part beside the mean
	fanIn    = 16.0           // states that are joined at a time
	fetched  = 4 * (50 + 250) // landmarks of rank 50: 4 for each of 50 columns and 250 core points
	sampled  = 2 * 32         // rows by which each worker tells its source from another, as it is and as it is prepared
	start    = 5.0            // seconds until a worker works, of a container say, once for each fit
)

func assumptions(cores int) []string {
	return []string{
		fmt.Sprintf("Each worker has %d cores that share a part evenly, and storage of its own speed (the column storage; requests take %.0f ms, %.0f at a time, %d KiB are read to fetch a row). Reading and computing overlap. Files have %.0e rows.",
			cores, 1000*latency, requests, chunk>>10, fileRows),
		fmt.Sprintf("There are as many parts as workers; the largest is %.2f times the mean, as the rule for cutting allows. A worker is there after %.0f s. One process fetches the landmarks, and keeps them beside the states. Each worker begins by replay: it opens all files, and reads a few rows to know them by. States are joined %.0f at a time, in a tree, by workers that replay too. The end is on one worker.",
			uneven, start, fanIn),
		"In brackets: what does not become less with more workers (start, landmarks, replay, tree, end). Processor seconds are of one thread of the machine that printed this.",
	}
}

// time returns the seconds of a fit, and what of them no worker more makes less.
func (c *costs) time(on cluster, rows float64) (all, serial float64) {
	opening := c.opening(on, rows, sampled)
	replay := c.replay + opening
	share := rows / float64(on.workers)
	if on.workers > 1 {
		share = math.Min(rows, share*uneven)
	}
	work := math.Max(share/c.blockRows*c.block/float64(on.cores), share*c.rowBytes/on.speed)
	serial = start + c.fetch + c.opening(on, rows, c.landmarks) + replay + c.tree(on, replay) + c.end + opening
	return serial + work, serial
}

// opening returns the seconds that a worker waits for storage until all files are open, and so
// many of their rows are fetched.
func (c *costs) opening(on cluster, rows, single float64) float64 {
	files := math.Ceil(rows / fileRows)
	return (files+single)*latency/requests + single*chunk/on.speed
}

// tree returns the seconds of joining the states of all workers.
func (c *costs) tree(on cluster, replay float64) float64 {
	levels := math.Ceil(math.Log(float64(on.workers))/math.Log(fanIn) - 1e-9)
	return levels * (replay + fanIn*(c.join+2*c.state/on.speed+2*latency/requests))
}
