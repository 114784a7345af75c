//! What the Tokio peers share: their arguments, what the process uses, and the line that
//! bench/peers/run reads.

use std::process::exit;
use std::str::FromStr;

/// The exact version that Cargo.toml asks for.
const VERSION: &str = "Tokio 1.44.2";

pub fn fail_usage(message: &str) -> ! {
    eprintln!("{message}");
    exit(2);
}

/// The argument at a position of the command line.
pub fn text(position: usize) -> String {
    std::env::args().nth(position).unwrap_or_default()
}

/// A whole number, at least 1.
pub fn count(position: usize, name: &str) -> usize {
    number(position, name, "a whole number, at least 1")
}

/// Seconds, more than 0.
pub fn seconds(position: usize, name: &str) -> f64 {
    number(position, name, "seconds, more than 0")
}

fn number<N: FromStr + Default + PartialOrd>(position: usize, name: &str, what: &str) -> N {
    let text = text(position);
    match text.parse::<N>() {
        Ok(value) if value > N::default() => value,
        _ => fail_usage(&format!("{name}: '{text}': expected {what}")),
    }
}

/// Writes the figures as one line of JSON, with the version of Tokio.
pub fn print(figures: &[(&str, f64)]) {
    let figure = |(name, value): &(&str, f64)| format!(r#", "{name}": {value}"#);
    let figures: String = figures.iter().map(figure).collect();
    println!(r#"{{"version": "{VERSION}"{figures}}}"#);
}

/// Lets the allocator keep what is freed. By default it gives the memory of a wave of tasks back to
/// the system and asks for it again, which costs a quarter of the time.
pub fn keep_freed_memory() {
    // SAFETY: no other thread is there yet.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 30);
        libc::mallopt(libc::M_TOP_PAD, 64 << 20);
    }
}

/// User and system time of the process so far.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes to a timespec that is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Memory of the process: now.
pub fn resident_bytes() -> usize {
    status_bytes("VmRSS:")
}

/// Memory of the process: the most so far. getrusage's maximum would also hold that of the program
/// that started this one.
pub fn peak_bytes() -> usize {
    status_bytes("VmHWM:")
}

fn status_bytes(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc/self/status");
    let rest = status.split(name).nth(1).expect("a figure of memory");
    let kib: usize = rest.split_whitespace().next().unwrap().parse().expect("a number");
    kib * 1024
}
