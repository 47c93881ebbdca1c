//! Times of calls, in processor time of the calling thread: other programs on the machine do not count.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

fn of(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Processor time of the calling thread so far.
pub(crate) fn thread_time() -> Duration {
    of(ClockId::ThreadCPUTime)
}

/// Processor time of the process so far.
pub(crate) fn process_time() -> Duration {
    of(ClockId::ProcessCPUTime)
}

/// Times of calls, in microseconds.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn take<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let begun = thread_time();
        let result = work();
        self.0.push((thread_time() - begun).as_secs_f64() * 1e6);
        result
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn max(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The mean, the median, the 99 of 100 and the most.
    pub(crate) fn summary(&self) -> Value {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        json!({
            "calls": sorted.len(),
            "mean": self.mean(),
            "p50": quantile(&sorted, 0.5),
            "p99": quantile(&sorted, 0.99),
            "max": self.max(),
        })
    }
}

/// The time that a share of the calls do not exceed.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = (last as f64 * share).ceil() as usize;
    sorted.get(at).copied().unwrap_or(0.0)
}
