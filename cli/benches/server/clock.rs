//! Times of calls, in processor time of the calling thread: other programs on the machine do not count.

use std::collections::BTreeMap;
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

/// Times of calls, told to a hundredth: so that millions of them take no room.
#[derive(Default)]
pub(crate) struct Times {
    /// How many calls took so many nanoseconds.
    counts: BTreeMap<u64, usize>,
    calls: usize,
    total: Duration,
    most: Duration,
}

/// So many binary digits of a time are kept.
const DIGITS: u32 = 8;

impl Times {
    pub(crate) fn take<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let begun = thread_time();
        let result = work();
        let time = thread_time() - begun;
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap();
        let dropped = (u64::BITS - nanoseconds.leading_zeros()).saturating_sub(DIGITS);
        *self
            .counts
            .entry(nanoseconds >> dropped << dropped)
            .or_default() += 1;
        self.calls += 1;
        self.total += time;
        self.most = self.most.max(time);
        result
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (time, count) in other.counts {
            *self.counts.entry(time).or_default() += count;
        }
        self.calls += other.calls;
        self.total += other.total;
        self.most = self.most.max(other.most);
    }

    /// In microseconds, like all that follow.
    pub(crate) fn max(&self) -> f64 {
        self.most.as_secs_f64() * 1e6
    }

    pub(crate) fn mean(&self) -> f64 {
        self.total.as_secs_f64() * 1e6 / self.calls.max(1) as f64
    }

    /// The mean, the median, the 99 of 100 and the most.
    pub(crate) fn summary(&self) -> Value {
        json!({
            "calls": self.calls,
            "mean": self.mean(),
            "p50": self.quantile(0.5),
            "p99": self.quantile(0.99),
            "max": self.max(),
        })
    }

    /// The time that a share of the calls do not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut left = (self.calls as f64 * share).ceil() as usize;
        let time = self.counts.iter().find(|&(_, &count)| {
            left = left.saturating_sub(count);
            left == 0
        });
        time.map_or(0.0, |(&nanoseconds, _)| nanoseconds as f64 / 1e3)
    }
}
