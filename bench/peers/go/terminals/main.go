// The terminals of `drover lab terminals` as goroutines: terminals TERMINALS SECONDS THREADS.
package main

import (
	"runtime"
	"sync/atomic"
	"time"

	"drover.example/peers/peer"
)

const (
	pauseTime       = 200 * time.Microsecond
	requestTime     = 200 * time.Microsecond
	requestsPerTask = 4
	warmUpLeast     = time.Second
	warmUpMost      = time.Minute
)

// Many counts, each on a cache line of its own, so that two threads seldom want the same one.
type count struct {
	tasks atomic.Uint64
	_     [56]byte
}

var (
	stopping atomic.Bool
	counts   [64]count
)

func request() { time.Sleep(requestTime) }

func terminal(mine *count) {
	for !stopping.Load() {
		time.Sleep(pauseTime)
		for i := 0; i < requestsPerTask; i++ {
			request()
		}
		mine.tasks.Add(1)
	}
}

func tasks() (sum uint64) {
	for i := range counts {
		sum += counts[i].tasks.Load()
	}
	return sum
}

// At least a second, and until there are as many tasks as terminals: then all of them were made.
func warmUp(terminals int) {
	begun := time.Now()
	time.Sleep(warmUpLeast)
	for tasks() < uint64(terminals) {
		if time.Since(begun) > warmUpMost {
			peer.Fail("not every terminal completed a task within a minute")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func main() {
	terminals := peer.Count(1, "TERMINALS")
	seconds := peer.Seconds(2, "SECONDS")
	runtime.GOMAXPROCS(peer.Count(3, "THREADS"))

	residentBefore := peer.ResidentBytes()
	for i := 0; i < terminals; i++ {
		go terminal(&counts[i%len(counts)])
	}
	warmUp(terminals)
	cpuBefore := peer.CPUSeconds()
	tasksBefore := tasks()
	begun := time.Now()
	time.Sleep(seconds)
	done := tasks() - tasksBefore
	measured := time.Since(begun).Seconds()
	cpu := peer.CPUSeconds() - cpuBefore
	grown := peer.ResidentBytes() - residentBefore
	stopping.Store(true)
	peer.Print(map[string]any{
		"tasks": done, "seconds": measured, "cpu_seconds": cpu,
		"bytes_per_terminal": float64(grown) / float64(terminals),
	})
}
