//! Arrays of several dimensions.

use holdall::{DType, Tensor, Value, bf16, f16, from_slice, to_vec};
use ndarray::{
    ArcArray, Array, Array0, Array1, Array2, Array3, Array6, ArrayD, Dim, IxDyn, ShapeBuilder, s,
};
use num_complex::Complex;

use super::{hex, table};

fn counted(rows: usize, columns: usize) -> Array2<u8> {
    Array2::from_shape_fn((rows, columns), |(row, column)| (row * columns + column) as u8)
}

#[test]
fn arrays_of_each_rank_have_their_bytes() {
    table("tensor(u16)", &[(Array0::from_elem((), 7_u16), "00 00 07 00")]);
    table(
        "tensor(f32)",
        &[
            (Array1::from(vec![1.0_f32, -0.0]), "02 04 00 00 00 80 3F 00 00 00 80"),
            (Array1::from(vec![]), "02 00 00"),
        ],
    );
    table(
        "tensor(u8)",
        &[
            (counted(2, 3), "04 04 06 00 00 01 02 03 04 05"),
            (counted(0, 3), "04 00 06 00"),
            (counted(3, 2).reversed_axes(), "04 04 06 01 00 01 02 03 04 05"),
        ],
    );
    table("tensor(bool)", &[(Array3::from_elem((1, 2, 1), true), "06 02 04 02 00 01 01")]);
    table(
        "tensor(i64)",
        &[(
            Array6::from_elem((1, 1, 2, 1, 1, 1), -1_i64),
            "0C 02 65 05 00 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF",
        )],
    );
    table(
        "tensor(f64)",
        &[
            (ArrayD::from_elem(IxDyn(&[]), 1.0_f64), "00 00 00 00 00 00 00 00 F0 3F"),
            (ArrayD::from_elem(IxDyn(&[1; 32]), 1.0), "40 80 02 00 00 00 00 00 00 00 F0 3F"),
        ],
    );
    table("tensor(f16)", &[(Array1::from(vec![f16::ONE]), "02 02 00 00 3C")]);
    table("tensor(bf16)", &[(Array1::from(vec![bf16::ONE]), "02 02 00 80 3F")]);
    table(
        "tensor(u128)",
        &[(
            Array1::from(vec![u128::MAX]),
            "02 02 00 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF",
        )],
    );
    table(
        "tensor(complex[4](tuple(f32, f32)))",
        &[(Array1::from(vec![Complex::new(1.0_f32, 2.0)]), "02 02 00 00 00 80 3F 00 00 00 40")],
    );
    table(
        "tensor(complex[8](tuple(f64, f64)))",
        &[(
            Array1::from(vec![Complex::new(1.0_f64, 2.0)]),
            "02 02 00 00 00 00 00 00 00 F0 3F 00 00 00 00 00 00 00 40",
        )],
    );
}

#[test]
fn array_views_are_written_as_arrays() {
    let array = counted(4, 3);
    let shown = |view: ndarray::ArrayView2<'_, u8>| hex(&to_vec(&view).unwrap());
    let alone = |array: Array2<u8>| hex(&to_vec(&array).unwrap());
    assert_eq!(shown(array.view()), alone(array.clone()));
    assert_eq!(shown(array.t()), alone(array.clone().reversed_axes()));
    // With gaps, or reversed: written in row-major order.
    let every_other = array.slice(s![..;2, ..;-1]);
    let copied = Array2::from_shape_vec((2, 3), every_other.iter().copied().collect()).unwrap();
    assert_eq!(shown(every_other), alone(copied));
}

#[test]
fn arrays_are_tensors_of_their_order() {
    let array = Array::from_shape_vec((2, 2).f(), vec![1_u8, 3, 2, 4]).unwrap();
    let value: Value = from_slice(&to_vec(&array).unwrap()).unwrap();
    let tensor =
        Tensor::new(DType::Int(holdall::IntKind::U8), [2, 2], true, vec![1, 3, 2, 4]).unwrap();
    assert_eq!(value, Value::from(tensor));
    let shared: ArcArray<u8, Dim<[usize; 2]>> = from_slice(&to_vec(&array).unwrap()).unwrap();
    assert_eq!(shared, array);
    assert_eq!(shared.strides(), array.strides());
}

#[test]
fn a_message_with_a_large_array_is_aligned_like_that_of_a_value() {
    for len in [510, 511, 512] {
        let list = vec![Array1::from_elem(len, 1.5_f64), Array1::from_elem(1, 2.5)];
        let bytes = to_vec(&list).unwrap();
        // The other array has one element more.
        assert_eq!(bytes[1] & 4 != 0, len >= 511);
        let value: Value = from_slice(&bytes).unwrap();
        assert_eq!(hex(&to_vec(&value).unwrap()), hex(&bytes), "{len}");
        assert_eq!(from_slice::<Vec<Array1<f64>>>(&bytes).unwrap(), list);
    }
}

#[test]
fn a_reused_encoder_forgets_earlier_arrays() {
    let mut encoder = holdall::Encoder::new();
    let (first, second) = (counted(30, 3), counted(1, 2));
    encoder.encode(&first).unwrap();
    assert_eq!(encoder.encode(&second).unwrap(), to_vec(&second).unwrap());
}
