//! The work of `drover lab scheduler` on Tokio: so many spawners, each a task that spawns so many
//! empty tasks; the time from the first spawn until the last empty task has run.
//!
//! spawn SPAWNERS WORKERS TASKS SECONDS

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};
use tokio_peers::{count, cpu_seconds, print, seconds};

/// A count on a cache line of its own.
#[repr(align(64))]
struct Count(AtomicUsize);

/// What the tasks of a round share. It is leaked, so that a task carries a plain reference, as the
/// other program's tasks do, and pays for no reference count.
struct Round {
    tasks_per_spawner: usize,
    tasks_left: Vec<Count>,
    spawners_left: Count,
    ended: SyncSender<()>,
}

fn make_round(spawners: usize, tasks_per_spawner: usize) -> (&'static Round, Receiver<()>) {
    let (ended, end) = sync_channel(1);
    let tasks_left = (0..spawners).map(|_| Count(AtomicUsize::new(0))).collect();
    let spawners_left = Count(AtomicUsize::new(0));
    let round = Round { tasks_per_spawner, tasks_left, spawners_left, ended };
    (Box::leak(Box::new(round)), end)
}

fn run_round(runtime: &Runtime, round: &'static Round, end: &Receiver<()>) {
    round.spawners_left.0.store(round.tasks_left.len(), Ordering::Relaxed);
    for left in &round.tasks_left {
        left.0.store(round.tasks_per_spawner, Ordering::Relaxed);
        runtime.spawn(async move {
            for _ in 0..round.tasks_per_spawner {
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

/// Whole rounds on a runtime of its own, after one that does not count.
fn main() {
    let spawners = count(1, "SPAWNERS");
    let workers = count(2, "WORKERS");
    let tasks_per_spawner = count(3, "TASKS");
    let seconds_min = seconds(4, "SECONDS");

    let runtime = Builder::new_multi_thread().worker_threads(workers).build().unwrap();
    let (round, end) = make_round(spawners, tasks_per_spawner);
    run_round(&runtime, round, &end);
    let cpu_before = cpu_seconds();
    let begun = Instant::now();
    let mut rounds = 0;
    while begun.elapsed().as_secs_f64() < seconds_min {
        run_round(&runtime, round, &end);
        rounds += 1;
    }
    let measured = begun.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    let tasks = rounds * spawners * tasks_per_spawner;
    print(&[("tasks", tasks as f64), ("seconds", measured), ("cpu_seconds", cpu)]);
}
