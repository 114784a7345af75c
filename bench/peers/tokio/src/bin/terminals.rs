//! The terminals of `drover lab terminals` on Tokio: terminals TERMINALS SECONDS THREADS RUNTIME.
//!
//! RUNTIME is current_thread (one for each thread, with its share of the terminals) or
//! multi_thread.
//! Tokio's timers have a resolution of a millisecond, and round up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::time::sleep;
use tokio_peers::{count, cpu_seconds, fail_usage, print, resident_bytes, seconds, text};

const PAUSE_TIME: Duration = Duration::from_micros(200);
const REQUEST_TIME: Duration = Duration::from_micros(200);
const REQUESTS_PER_TASK: usize = 4;
const WARM_UP_LEAST: Duration = Duration::from_secs(1);
const WARM_UP_MOST: Duration = Duration::from_secs(60);

/// Many counts, each on a cache line of its own, so that two threads seldom want the same one.
#[repr(align(64))]
struct Count(AtomicU64);

static STOPPING: AtomicBool = AtomicBool::new(false);
static COUNTS: [Count; 64] = [const { Count(AtomicU64::new(0)) }; 64];

async fn request() {
    sleep(REQUEST_TIME).await;
}

async fn terminal(count: &'static AtomicU64) {
    while !STOPPING.load(Ordering::Relaxed) {
        sleep(PAUSE_TIME).await;
        for _ in 0..REQUESTS_PER_TASK {
            request().await;
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs terminals first, first + step, ... below the number of all.
async fn herd(first: usize, step: usize, terminals: usize) {
    let spawn = |i: usize| tokio::spawn(terminal(&COUNTS[i % COUNTS.len()].0));
    let tasks: Vec<_> = (first..terminals).step_by(step).map(spawn).collect();
    for task in tasks {
        task.await.unwrap();
    }
}

fn start(terminals: usize, threads: usize, runtime: &str) -> Vec<std::thread::JoinHandle<()>> {
    match runtime {
        "current_thread" => (0..threads)
            .map(|thread| {
                std::thread::spawn(move || {
                    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
                    runtime.block_on(herd(thread, threads, terminals));
                })
            })
            .collect(),
        "multi_thread" => vec![std::thread::spawn(move || {
            let builder = &mut Builder::new_multi_thread();
            let runtime = builder.worker_threads(threads).enable_time().build().unwrap();
            runtime.block_on(herd(0, 1, terminals));
        })],
        _ => fail_usage(&format!("RUNTIME: '{runtime}': expected current_thread or multi_thread")),
    }
}

fn tasks() -> u64 {
    COUNTS.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
}

/// At least a second, and until there are as many tasks as terminals: then all of them were made.
fn warm_up(terminals: usize) {
    let begun = Instant::now();
    std::thread::sleep(WARM_UP_LEAST);
    while tasks() < terminals as u64 {
        assert!(begun.elapsed() < WARM_UP_MOST, "not every terminal completed a task within a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn main() {
    let terminals = count(1, "TERMINALS");
    let seconds = Duration::from_secs_f64(seconds(2, "SECONDS"));
    let threads = count(3, "THREADS");

    let resident_before = resident_bytes();
    let runners = start(terminals, threads, &text(4));
    warm_up(terminals);
    let cpu_before = cpu_seconds();
    let tasks_before = tasks();
    let begun = Instant::now();
    std::thread::sleep(seconds);
    let done = tasks() - tasks_before;
    let measured = begun.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    let grown = resident_bytes() as f64 - resident_before as f64;
    STOPPING.store(true, Ordering::Relaxed);
    for runner in runners {
        runner.join().unwrap();
    }
    print(&[
        ("tasks", done as f64),
        ("seconds", measured),
        ("cpu_seconds", cpu),
        ("bytes_per_terminal", grown / terminals as f64),
    ]);
}
