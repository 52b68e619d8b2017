//! Times tasks in turn in one process.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The minimum duration of a sample; shorter work is repeated within it. Reading the clock takes about 30 ns.
const SAMPLE: Duration = Duration::from_micros(200);

/// The minimum number of rounds.
const LEAST_ROUNDS: usize = 9;

/// A task to time.
pub struct Task<'a> {
    run: Box<dyn FnMut(usize) -> Duration + 'a>,
}

impl<'a> Task<'a> {
    /// Times `work`. Its results are dropped after the clock has stopped.
    pub fn new<T: 'a>(mut work: impl FnMut() -> T + 'a) -> Self {
        let run = move |times: usize| {
            let mut results = Vec::with_capacity(times);
            let start = Instant::now();
            for _ in 0..times {
                results.push(black_box(work()));
            }
            start.elapsed()
        };
        Task { run: Box::new(run) }
    }

    /// Times `work`, which repeats itself the given number of times.
    pub fn repeated(mut work: impl FnMut(usize) + 'a) -> Self {
        let run = move |times: usize| {
            let start = Instant::now();
            work(times);
            start.elapsed()
        };
        Task { run: Box::new(run) }
    }
}

/// The median time of each task.
///
/// Each round runs every task once, so a machine that slows down affects all of them. Rounds begin with different
/// tasks, so that none always follows the same one. Continues until `least_time` is over and every task has run nine
/// times.
pub fn medians(tasks: &mut [Task<'_>], least_time: Duration) -> Vec<Duration> {
    let start = Instant::now();
    // The first round warms up caches and the allocator; the second determines the number of repeats.
    let repeats: Vec<usize> = tasks
        .iter_mut()
        .map(|task| {
            (task.run)(1);
            let once = (task.run)(1).max(Duration::from_nanos(1));
            usize::try_from(SAMPLE.as_nanos().div_ceil(once.as_nanos())).unwrap_or(1)
        })
        .collect();

    let mut samples = vec![Vec::new(); tasks.len()];
    let mut rounds = 0;
    while rounds < LEAST_ROUNDS || start.elapsed() < least_time {
        for index in 0..tasks.len() {
            let index = (index + rounds) % tasks.len();
            let times = repeats[index];
            let elapsed = (tasks[index].run)(times);
            samples[index].push(elapsed.as_secs_f64() / times as f64);
        }
        rounds += 1;
    }
    samples.into_iter().map(|samples| Duration::from_secs_f64(median(samples))).collect()
}

/// The middle sample, or the mean of the two in the middle; 0 if there is none.
#[must_use]
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    match samples.len() {
        0 => 0.0,
        count if count % 2 == 1 => samples[middle],
        _ => f64::midpoint(samples[middle - 1], samples[middle]),
    }
}

/// The geometric mean, which suits ratios: the mean of 2 and 0.5 is 1. For no ratios it is 1.
#[must_use]
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    if ratios.is_empty() {
        return 1.0;
    }
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (sum / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn geometric_mean_of_a_ratio_and_its_inverse_is_one() {
        assert!((geometric_mean(&[4.0, 0.25]) - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), 1.0);
    }

    #[test]
    fn every_task_runs_in_every_round() {
        let (mut first, mut second) = (0, 0);
        let slow = Duration::from_micros(300);
        let count = |counter: &mut usize| {
            *counter += 1;
            std::thread::sleep(slow);
        };
        let mut tasks = [Task::new(|| count(&mut first)), Task::new(|| count(&mut second))];
        let times = medians(&mut tasks, Duration::ZERO);
        drop(tasks);
        assert!(times.iter().all(|&time| time >= slow));
        // Two runs warm up and find the number of repeats; slow work needs none.
        assert_eq!((first, second), (LEAST_ROUNDS + 2, LEAST_ROUNDS + 2));
    }
}
