// Package peer has what the Go peers share: their arguments, what the process uses, and the line
// that bench/peers/run reads.
package peer

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// FailUsage ends the process with exit code 2.
func FailUsage(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}

// Fail ends the process with exit code 1.
func Fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// Count is the whole number at a position of the command line, at least 1.
func Count(position int, name string) int {
	if position >= len(os.Args) {
		FailUsage("missing: " + name + ", expected a whole number, at least 1")
	}
	value, err := strconv.Atoi(os.Args[position])
	if err != nil || value < 1 {
		FailUsage(name + ": " + os.Args[position] + ": expected a whole number, at least 1")
	}
	return value
}

// Seconds is like Count, but a time, more than 0.
func Seconds(position int, name string) time.Duration {
	if position >= len(os.Args) {
		FailUsage("missing: " + name + ", expected seconds, more than 0")
	}
	value, err := strconv.ParseFloat(os.Args[position], 64)
	if err != nil || !(value > 0) {
		FailUsage(name + ": " + os.Args[position] + ": expected seconds, more than 0")
	}
	return time.Duration(value * float64(time.Second))
}

// CPUSeconds is the user and system time of the process so far.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		Fail("getrusage: " + err.Error())
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// ResidentBytes and PeakBytes are the memory of the process, now and at most. getrusage's maximum
// would also hold that of the program that started this one.
func ResidentBytes() int { return statusBytes("VmRSS:") }

func PeakBytes() int { return statusBytes("VmHWM:") }

func statusBytes(name string) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		Fail(err.Error())
	}
	_, rest, _ := strings.Cut(string(status), name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		Fail("/proc/self/status has no " + name)
	}
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		Fail(err.Error())
	}
	return kib * 1024
}

// Print writes the figures as one line of JSON, with the version of Go.
func Print(figures map[string]any) {
	figures["version"] = "Go " + strings.TrimPrefix(runtime.Version(), "go")
	line, err := json.Marshal(figures)
	if err != nil {
		Fail(err.Error())
	}
	fmt.Println(string(line))
}
