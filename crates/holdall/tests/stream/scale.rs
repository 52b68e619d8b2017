//! Large streams take the memory of a block.

use holdall::{Reader, Value};

use super::samples::{stream, writer};

#[test]
fn many_blocks_are_read_in_their_order() {
    let bytes = stream(20_000, 100);
    let mut next = 0;
    for value in Reader::new(&bytes[..]).values::<super::samples::Reading>() {
        assert_eq!(value.unwrap().id, next);
        next += 1;
    }
    assert_eq!(next, 20_000);
}

#[test]
fn ever_new_shapes_do_not_fill_the_memory_of_a_writer() {
    let mut writer = writer(100);
    for n in 0..30_000_u32 {
        let names = [format!("a{}", n / 100), format!("b{n}")];
        let fields = names.iter().map(|name| (&**name, Value::from(1)));
        writer.write(&Value::record(fields)).unwrap();
    }
    let bytes = writer.finish().unwrap();
    assert_eq!(Reader::new(&bytes[..]).values::<Value>().count(), 30_000);
}
