//! Tasks on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The number of tasks that run at the same time.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Returns the results of tasks in their order.
///
/// # Errors
/// The first error by the number of its task.
pub fn map<T: Send, E: Send>(
    count: usize,
    task: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let workers = cores().min(count);
    if workers <= 1 {
        return (0..count).map(task).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let result = task(number);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    thread::scope(|scope| {
        (1..workers).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_are_in_the_order_of_the_tasks() {
        let squares = map(1000, |n| Ok::<_, ()>(n * n)).unwrap();
        assert_eq!(squares, (0..1000).map(|n| n * n).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_is_returned() {
        assert_eq!(map(100, |n| if n % 7 == 6 { Err(n) } else { Ok(()) }), Err(6));
        assert_eq!(map(0, |n| if n == 0 { Err(n) } else { Ok(()) }), Ok(Vec::new()));
    }
}
