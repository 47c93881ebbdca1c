//! Distributions of measured times, in constant memory, and the process's peak memory.

/// Values below this are counted one by one.
const EXACT: u64 = 2048;
/// Buckets for each doubling above that: percentiles are within 1/2048 of the true value.
const STEPS: u64 = EXACT / 2;

/// Counts of values, fine enough for percentiles and small enough not to weigh on what is measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    max: u64,
}

/// What is reported of a distribution, in the unit asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
}

impl Histogram {
    pub(crate) fn record(&mut self, value: u64) {
        let bucket = bucket(value);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// The percentiles by nearest rank, each value multiplied by `unit`; none without values.
    pub(crate) fn summary(&self, unit: f64) -> Option<Summary> {
        if self.count == 0 {
            return None;
        }
        let at = |per_mille| self.percentile(per_mille) as f64 * unit;
        Some(Summary {
            p50: at(500),
            p90: at(900),
            p99: at(990),
            p999: at(999),
            max: self.max as f64 * unit,
            mean: self.sum as f64 / self.count as f64 * unit,
        })
    }

    fn percentile(&self, per_mille: u64) -> u64 {
        let rank = (self.count * per_mille).div_ceil(1000);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return middle(bucket as u64).min(self.max);
            }
        }
        self.max
    }
}

impl Summary {
    /// The figures with their names, in the order of reports.
    pub(crate) fn figures(&self) -> [(&'static str, f64); 6] {
        [
            ("p50", self.p50),
            ("p90", self.p90),
            ("p99", self.p99),
            ("p999", self.p999),
            ("max", self.max),
            ("mean", self.mean),
        ]
    }

    /// Each figure divided by the same one of `other`.
    pub(crate) fn ratio(&self, other: &Summary) -> Summary {
        Summary {
            p50: self.p50 / other.p50,
            p90: self.p90 / other.p90,
            p99: self.p99 / other.p99,
            p999: self.p999 / other.p999,
            max: self.max / other.max,
            mean: self.mean / other.mean,
        }
    }
}

fn bucket(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = u64::from(value.ilog2() - STEPS.ilog2());
    (shift * STEPS + (value >> shift)) as usize
}

/// The value in the middle of a bucket.
fn middle(bucket: u64) -> u64 {
    if bucket < EXACT {
        return bucket;
    }
    let shift = bucket / STEPS - 1;
    ((bucket - shift * STEPS) << shift) + (1 << shift) / 2
}

/// The most memory this process has held so far, in MiB, where the system tells.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_are_exact() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|v| histogram.record(v));
        let summary = histogram.summary(1.0).expect("values");
        assert_eq!(
            summary.figures().map(|f| f.1),
            [500.0, 900.0, 990.0, 999.0, 1000.0, 500.5]
        );
    }

    #[test]
    fn nearest_rank_of_one_value() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.summary(1.0), None);
        histogram.record(7000);
        let summary = histogram.summary(0.001).expect("values");
        assert_eq!(summary.max, 7.0);
        assert!((summary.p50 - 7.0).abs() < 7.0 / 2048.0);
    }

    #[test]
    fn buckets_are_fine_and_ordered() {
        for value in (0..40_000).chain((16..63).flat_map(|s| [(1 << s) - 1, 1 << s, 3 << (s - 1)]))
        {
            let found = middle(bucket(value) as u64);
            assert!(
                found.abs_diff(value) * 2048 <= value,
                "{value} read back as {found}"
            );
            assert!(bucket(value) <= bucket(value + 1), "{value}");
        }
    }
}
