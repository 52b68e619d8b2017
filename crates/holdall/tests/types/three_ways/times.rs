//! Times and durations of std, by derive and by serde.

use super::*;

fn times(timeout: Duration, after: Duration) -> Times {
    Times { timeout, at: SystemTime::UNIX_EPOCH + after }
}

#[test]
fn serde_reads_the_times_that_a_derive_writes() {
    let all = [Duration::ZERO, Duration::new(1, 1), Duration::new(1_700_000_000, 999_999_999)];
    for duration in all {
        let value = times(duration, duration);
        let bytes = to_vec(&value).unwrap();
        assert_eq!(
            schema(&bytes),
            "struct Times {timeout: duration[ns](int), at: timestamp[ns, utc](int)}"
        );
        assert_eq!(serde::from_slice::<Times>(&bytes).unwrap(), value);
        let dynamic: Value = from_slice(&bytes).unwrap();
        assert_eq!(serde::from_value::<Times>(&dynamic).unwrap(), value);
    }
    let bytes = to_vec(&vec![Some(Duration::MAX), None]).unwrap();
    assert_eq!(
        serde::from_slice::<Vec<Option<Duration>>>(&bytes).unwrap(),
        [Some(Duration::MAX), None]
    );
}

/// A message of a logical value over an integer.
fn logical(kind: u8, parameters: &[u8], number: i64) -> Vec<u8> {
    let ty = LogicalType::new(kind, parameters).unwrap();
    to_vec(&Value::Logical(holdall::value::Logical::new(ty, Value::from(number)))).unwrap()
}

#[test]
fn serde_reads_times_of_each_unit_exactly_or_not_at_all() {
    let duration = |unit, number| {
        serde::from_slice::<Duration>(&logical(LogicalType::DURATION, &[unit], number))
    };
    for (unit, expected) in [
        (0, Duration::from_secs(1_234_567_891)),
        (1, Duration::from_millis(1_234_567_891)),
        (2, Duration::from_micros(1_234_567_891)),
        (3, Duration::from_nanos(1_234_567_891)),
    ] {
        assert_eq!(duration(unit, 1_234_567_891).unwrap(), expected);
        let error = duration(unit, -1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unconvertible in $: expected 0 to 2^64 seconds, got another duration"
        );
    }
    let at = |zone, number| {
        serde::from_slice::<SystemTime>(&logical(LogicalType::TIMESTAMP, &[1, zone], number))
    };
    assert_eq!(at(1, 1_500).unwrap(), SystemTime::UNIX_EPOCH + Duration::from_millis(1_500));
    assert_eq!(at(1, -1).unwrap_err().code(), Code::Unconvertible);
    // Local time is no point in time.
    assert_eq!(at(0, 1_500).unwrap_err().code(), Code::Unconvertible);
    // Nor is a duration, or a date.
    let bytes = logical(LogicalType::DURATION, &[1], 5);
    assert_eq!(serde::from_slice::<SystemTime>(&bytes).unwrap_err().code(), Code::Unconvertible);
    let bytes = logical(LogicalType::DATE, &[], 5);
    assert_eq!(serde::from_slice::<Duration>(&bytes).unwrap_err().code(), Code::Unconvertible);
    assert_eq!(serde::from_slice::<i64>(&bytes).unwrap(), 5);
}

#[test]
fn a_derive_reads_the_times_that_serde_writes() {
    let all = [Duration::ZERO, Duration::new(1, 2), Duration::new(1_700_000_000, 999_999_999)];
    for duration in all {
        let value = times(duration, duration);
        let bytes = serde::to_vec(&value).unwrap();
        assert_eq!(
            schema(&bytes),
            "struct Times {timeout: struct Duration {secs: u64, nanos: u32}, \
             at: struct SystemTime {secs_since_epoch: u64, nanos_since_epoch: u32}}"
        );
        assert_eq!(from_slice::<Times>(&bytes).unwrap(), value);
    }
    let durations = vec![Some(Duration::MAX), None];
    let bytes = serde::to_vec(&durations).unwrap();
    assert_eq!(from_slice::<Vec<Option<Duration>>>(&bytes).unwrap(), durations);
    three_ways(&durations);
}

#[test]
fn a_struct_named_like_a_time_stays_a_struct() {
    both! {
        struct Duration {
            secs: u64,
            nanos: u32,
        }
    }
    equal(&Duration { secs: 1, nanos: u32::MAX });
}
