// The three tests of `drover lab steps` as goroutines on one P: steps TEST FLOWS WAVE WAITS.
package main

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"drover.example/peers/peer"
)

func simple(flows int) (done int) {
	ended := make(chan struct{})
	for i := 0; i < flows; i++ {
		go func() {
			done++
			ended <- struct{}{}
		}()
		<-ended
	}
	return done
}

// What the flows of a test count.
type counts struct{ waiting, done atomic.Int64 }

func yieldUntil(count *atomic.Int64, enough int) {
	for int(count.Load()) < enough {
		runtime.Gosched()
	}
}

// runWave runs a wave of flows that wait so many times in all, where it does not divide the first
// ones once more. When all of them wait, each gets its event, which is a channel of its own with
// room for one.
func runWave(flows, waits int) int {
	var counts counts
	events := make([]chan struct{}, flows)
	for i := range events {
		event := make(chan struct{}, 1)
		events[i] = event
		mine := waits / flows
		if i < waits%flows {
			mine++
		}
		go func() {
			for i := 0; i < mine; i++ {
				counts.waiting.Add(1)
				<-event
				counts.done.Add(1)
			}
		}()
	}
	for triggered := 0; triggered < waits; {
		now := min(flows, waits-triggered)
		triggered += now
		yieldUntil(&counts.waiting, triggered)
		for _, event := range events[:now] {
			event <- struct{}{}
		}
	}
	yieldUntil(&counts.done, waits)
	return int(counts.done.Load())
}

func parallel(flows, wave int) (done int) {
	for done < flows {
		now := min(wave, flows-done)
		done += runWave(now, now)
	}
	return done
}

func main() {
	runtime.GOMAXPROCS(1)
	flows, wave, waits := peer.Count(2, "FLOWS"), peer.Count(3, "WAVE"), peer.Count(4, "WAITS")
	residentBefore := peer.ResidentBytes()
	cpuBefore := peer.CPUSeconds()
	begun := time.Now()
	done, expected := 0, flows
	switch os.Args[1] {
	case "simple":
		done = simple(flows)
	case "parallel":
		done = parallel(flows, wave)
	case "waits":
		expected = waits
		done = runWave(wave, waits)
	default:
		peer.FailUsage("TEST: " + os.Args[1] + ": expected simple, parallel or waits")
	}
	seconds := time.Since(begun).Seconds()
	cpu := peer.CPUSeconds() - cpuBefore
	if done != expected {
		peer.Fail("some flows did not end")
	}
	peer.Print(map[string]any{
		"operations": done, "seconds": seconds, "cpu_seconds": cpu,
		"peak_bytes": peer.PeakBytes(), "rss_before_bytes": residentBefore,
	})
}
