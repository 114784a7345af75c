//! The work of bench/pool_benchmark on Tokio: so many spawners, each a task that spawns so many
//! empty tasks; the time from the first spawn until the last empty task has run.
//!
//! Usage: tokio_spawn [repeats [seconds]]. Prints a line a cell: spawners, workers, the median of
//! the millions of tasks a second.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

const SPAWNERS: [usize; 5] = [2, 4, 8, 16, 32];
const WORKERS: [usize; 4] = [2, 4, 8, 16];
const TASKS_PER_SPAWNER: usize = 7_000;

/// A count on a cache line of its own.
#[repr(align(64))]
struct Count(AtomicUsize);

/// What the tasks of a round share. It is leaked, so that a task carries a plain reference, as the
/// other program's tasks do, and pays for no reference count.
struct Round {
    tasks_left: Vec<Count>,
    spawners_left: Count,
    ended: SyncSender<()>,
}

fn make_round(spawners: usize) -> (&'static Round, Receiver<()>) {
    let (ended, end) = sync_channel(1);
    let tasks_left = (0..spawners).map(|_| Count(AtomicUsize::new(0))).collect();
    let spawners_left = Count(AtomicUsize::new(0));
    let round = Box::leak(Box::new(Round { tasks_left, spawners_left, ended }));
    (round, end)
}

fn run_round(runtime: &Runtime, round: &'static Round, end: &Receiver<()>) {
    round.spawners_left.0.store(round.tasks_left.len(), Ordering::Relaxed);
    for left in &round.tasks_left {
        left.0.store(TASKS_PER_SPAWNER, Ordering::Relaxed);
        runtime.spawn(async move {
            for _ in 0..TASKS_PER_SPAWNER {
                tokio::spawn(async move {
                    if left.0.fetch_sub(1, Ordering::AcqRel) != 1 {
                        return;
                    }
                    if round.spawners_left.0.fetch_sub(1, Ordering::AcqRel) == 1 {
                        round.ended.send(()).unwrap();
                    }
                });
            }
        });
    }
    end.recv().unwrap();
}

/// Tasks a second, in whole rounds on a runtime of its own.
fn measure(spawners: usize, workers: usize, seconds_min: f64) -> f64 {
    let runtime = Builder::new_multi_thread().worker_threads(workers).build().unwrap();
    let (round, end) = make_round(spawners);
    run_round(&runtime, round, &end);
    let begin = Instant::now();
    let mut rounds = 0;
    while begin.elapsed() < Duration::from_secs_f64(seconds_min) {
        run_round(&runtime, round, &end);
        rounds += 1;
    }
    (rounds * spawners * TASKS_PER_SPAWNER) as f64 / begin.elapsed().as_secs_f64()
}

fn median(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    (sample[(sample.len() - 1) / 2] + sample[sample.len() / 2]) / 2.0
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let repeats: usize = arguments.next().map_or(5, |text| text.parse().expect("repeats"));
    let seconds: f64 = arguments.next().map_or(0.1, |text| text.parse().expect("seconds"));
    assert!(repeats > 0, "repeats");
    println!("spawners workers  M tasks/s");
    for spawners in SPAWNERS {
        for workers in WORKERS {
            let rates = (0..repeats).map(|_| measure(spawners, workers, seconds)).collect();
            println!("{spawners:>8} {workers:>7} {:>10.3}", median(rates) / 1e6);
        }
    }
}
