//! The three tests of `drover lab steps` on Tokio's current_thread runtime: steps TEST FLOWS WAVE
//! WAITS.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio_peers::{
    count, cpu_seconds, fail_usage, keep_freed_memory, peak_bytes, print, resident_bytes, text,
};

/// Written by one thread, so that no locked instruction is needed.
struct Count(AtomicUsize);

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add_one(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }

    async fn yield_until(&self, enough: usize) {
        while self.get() < enough {
            yield_now().await;
        }
    }
}

static WAITING: Count = Count(AtomicUsize::new(0));
static DONE: Count = Count(AtomicUsize::new(0));

async fn waiting_flow(events: Arc<[Notify]>, number: usize, waits: usize) {
    for _ in 0..waits {
        WAITING.add_one();
        events[number].notified().await;
        DONE.add_one();
    }
}

async fn run_one_by_one(flows: usize) {
    for _ in 0..flows {
        tokio::spawn(async { DONE.add_one() }).await.unwrap();
    }
}

/// A wave of flows that wait so many times in all, where it does not divide the first ones once
/// more. When all of them wait, each gets its event.
async fn run_wave(flows: usize, waits: usize) {
    let before = DONE.get();
    let events: Arc<[Notify]> = (0..flows).map(|_| Notify::new()).collect();
    for i in 0..flows {
        let mine = waits / flows + usize::from(i < waits % flows);
        tokio::spawn(waiting_flow(events.clone(), i, mine));
    }
    let mut triggered = 0;
    while triggered < waits {
        let now = flows.min(waits - triggered);
        triggered += now;
        WAITING.yield_until(before + triggered).await;
        events[..now].iter().for_each(Notify::notify_one);
    }
    DONE.yield_until(before + waits).await;
}

async fn run_in_waves(flows: usize, wave: usize) {
    while DONE.get() < flows {
        let now = wave.min(flows - DONE.get());
        run_wave(now, now).await;
    }
}

fn main() {
    let test = text(1);
    let (flows, wave, waits) = (count(2, "FLOWS"), count(3, "WAVE"), count(4, "WAITS"));
    keep_freed_memory();
    let runtime = Builder::new_current_thread().build().unwrap();
    let resident_before = resident_bytes();
    let cpu_before = cpu_seconds();
    let begun = Instant::now();
    let expected = match test.as_str() {
        "simple" => {
            runtime.block_on(run_one_by_one(flows));
            flows
        }
        "parallel" => {
            runtime.block_on(run_in_waves(flows, wave));
            flows
        }
        "waits" => {
            runtime.block_on(run_wave(wave, waits));
            waits
        }
        _ => fail_usage(&format!("TEST: '{test}': expected simple, parallel or waits")),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    assert_eq!(DONE.get(), expected, "some flows did not end");
    print(&[
        ("operations", expected as f64),
        ("seconds", seconds),
        ("cpu_seconds", cpu),
        ("peak_bytes", peak_bytes() as f64),
        ("rss_before_bytes", resident_before as f64),
    ]);
}
