//! Distributions of measured times, in constant memory, and the process's peak memory.

/// How many decimal digits of a value count: percentiles are within a thousandth of the true value.
const DIGITS: u8 = 3;

/// Counts of values, fine enough for percentiles and small enough not to weigh on what is measured.
#[derive(Clone, Debug)]
pub(crate) struct Histogram(hdrhistogram::Histogram<u64>);

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

impl Default for Histogram {
    fn default() -> Self {
        let empty = hdrhistogram::Histogram::new(DIGITS);
        Self(empty.expect("up to five digits may count"))
    }
}

impl Histogram {
    pub(crate) fn record(&mut self, value: u64) {
        let recorded = self.0.record(value);
        recorded.expect("it grows as far as 64 bits go");
    }

    /// The percentiles by nearest rank, each value multiplied by `unit`; none without values.
    pub(crate) fn summary(&self, unit: f64) -> Option<Summary> {
        if self.0.is_empty() {
            return None;
        }
        let at = |quantile| self.0.value_at_quantile(quantile) as f64 * unit;
        Some(Summary {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: self.0.max() as f64 * unit,
            mean: self.0.mean() * unit,
        })
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
    fn large_values_are_within_a_thousandth() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.summary(1.0), None);
        histogram.record(7000);
        let summary = histogram.summary(0.001).expect("values");
        for (name, value) in summary.figures() {
            assert!((value - 7.0).abs() < 7.0 / 1000.0, "{name}: {value}");
        }
        histogram.record(1 << 62);
        assert!(
            histogram
                .summary(1.0)
                .is_some_and(|summary| summary.max > 4e18)
        );
    }
}
