//! Tensors of very many elements, and very many tensors.

use holdall::{Code, Encoder, Limits, Profile, Tensor, Value, to_vec};

use super::laws::{BEYOND_BUDGET, decode, is_soak, law_once};

fn tensor(shape: &[u64], elements: &[u64]) -> Value {
    Value::from(Tensor::of(shape, elements).unwrap())
}

fn zeros(count: usize) -> Value {
    tensor(&[count as u64], &vec![0; count])
}

#[test]
fn tensors_of_very_many_equal_elements_are_read() {
    let value = zeros(BEYOND_BUDGET);
    let small = |value: &Value| Encoder::new().profile(Profile::Small).message(&mut &*value);
    let bytes = small(&value).unwrap();
    assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
    assert_eq!(decode(&value, &bytes, Limits::new()), None);
    let fewer = &bytes[..bytes.len() - 1];
    assert_eq!(decode(&value, fewer, Limits::new()), Some(Code::LimitBudget));
    if is_soak() {
        let value = zeros(10 * BEYOND_BUDGET);
        law_once(&value);
        assert_eq!(decode(&value, &small(&value).unwrap(), Limits::new()), None);
    }
}

#[test]
fn tensors_of_sorted_elements_are_read() {
    let elements: Vec<u64> = (0..BEYOND_BUDGET as u64).collect();
    let value = tensor(&[4, BEYOND_BUDGET as u64 / 4], &elements);
    for profile in [Profile::Fast, Profile::Balanced] {
        let bytes = Encoder::new().profile(profile).message(&mut &value).unwrap();
        assert_eq!(decode(&value, &bytes, Limits::new()), None);
    }
}

#[test]
fn very_many_dimensions_are_read() {
    // 33 rows each.
    let value = Value::list(vec![tensor(&[1; 32], &[7]); BEYOND_BUDGET / 33]);
    let bytes = to_vec(&value).unwrap();
    assert_eq!(decode(&value, &bytes, Limits::new()), None);
}

#[test]
fn very_many_tensors_are_read() {
    let count = if is_soak() { BEYOND_BUDGET } else { 100_000 };
    law_once(&Value::list(vec![tensor(&[], &[1]); count]));
    law_once(&Value::list(vec![tensor(&[0], &[]); count]));
}

#[cfg(feature = "crates")]
#[test]
fn arrays_of_very_many_elements_are_read() {
    use ndarray::{Array1, Array2};

    law_once(&Array1::<f64>::zeros(BEYOND_BUDGET));
    law_once(&Array2::<bool>::default((1000, BEYOND_BUDGET / 1000)));
    if is_soak() {
        law_once(&Array2::<bool>::default((1000, 10 * BEYOND_BUDGET / 1000)));
        law_once(&vec![Array1::<u8>::zeros(0); BEYOND_BUDGET]);
    }
}
