//! Values sent over a connection arrive unchanged, whatever the pieces.

use futures_util::{SinkExt as _, StreamExt as _};
use holdall::stream::Codec;
use holdall::{Code, Encode, Encoder, Limits, Result, Writer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{Decoder as _, Encoder as _, Framed, FramedRead};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn message(value: &(impl Encode + ?Sized)) -> Vec<u8> {
    Encoder::new().length(true).encode(value).unwrap()
}

fn stream(values: &[u32]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    values.iter().for_each(|value| writer.write(value).unwrap());
    writer.finish().unwrap()
}

#[test]
fn messages_and_streams_arrive_in_any_pieces() {
    let bytes = [message(&1_u32), stream(&[2, 3]), message(&4_u32), stream(&[])].concat();
    for size in [1, 2, 3, 7, bytes.len()] {
        let (mut codec, mut buffer, mut got) = (Codec::<u32>::new(), BytesMut::new(), Vec::new());
        for piece in bytes.chunks(size) {
            buffer.extend_from_slice(piece);
            while let Some(value) = codec.decode(&mut buffer).unwrap() {
                got.push(value);
            }
        }
        assert_eq!(got, [1, 2, 3, 4], "pieces of {size} bytes");
        assert!(codec.decode_eof(&mut buffer).unwrap().is_none());
    }
}

#[test]
fn a_value_is_written_as_a_message_with_its_length() {
    let mut buffer = BytesMut::new();
    let mut codec = Codec::<()>::new().encoder(Encoder::new());
    codec.encode("text", &mut buffer).unwrap();
    codec.encode(&7_u8, &mut buffer).unwrap();
    assert_eq!(buffer, [message("text"), message(&7_u8)].concat());
}

#[test]
fn a_connection_that_ends_within_a_message_is_truncated() {
    let bytes = message(&[1_u64, 2, 3]);
    for end in 1..bytes.len() {
        let mut buffer = BytesMut::from(&bytes[..end]);
        let fault = Codec::<Vec<u64>>::new().decode_eof(&mut buffer).unwrap_err();
        assert_eq!(fault.code(), Code::Truncated, "{end} bytes");
    }
}

#[test]
fn limits_apply_before_the_bytes_arrive() {
    let bytes = message(&(0..1000).map(|at| f64::from(at).sqrt()).collect::<Vec<_>>());
    let mut codec = Codec::<Vec<f64>>::new().limits(Limits::new().frame(1000));
    let fault = codec.decode(&mut BytesMut::from(&bytes[..20])).unwrap_err();
    assert_eq!((fault.code(), fault.offset()), (Code::LimitBudget, Some(3)));
}

#[test]
fn a_value_of_another_type_is_an_error_with_its_path() {
    let mut buffer = BytesMut::from(&*message(&vec!["text"]));
    let fault = Codec::<Vec<u8>>::new().decode(&mut buffer).unwrap_err();
    assert_eq!(fault.code(), Code::Incompatible);
}

#[test]
fn a_client_and_a_server_talk_over_a_real_socket() {
    block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serve = async {
            let (socket, _) = listener.accept().await.unwrap();
            let mut framed = Framed::new(socket, Codec::<Vec<i64>>::new());
            while let Some(numbers) = framed.next().await {
                framed.send(&numbers.unwrap().iter().sum::<i64>()).await.unwrap();
            }
        };
        let ask = async {
            let socket = TcpStream::connect(address).await.unwrap();
            let mut framed = Framed::new(socket, Codec::<i64>::new());
            for count in [0, 1, 100, 100_000] {
                let numbers: Vec<i64> = (0..count).collect();
                framed.send(&numbers).await.unwrap();
                let sum = framed.next().await.unwrap().unwrap();
                assert_eq!(sum, numbers.iter().sum::<i64>());
            }
        };
        tokio::join!(serve, ask);
    });
}

#[test]
fn a_truncated_stream_gives_its_values_and_then_the_error() {
    block_on(async {
        let bytes = stream(&[1, 2, 3]);
        let (mut ours, theirs) = tokio::io::duplex(16);
        let send = async {
            ours.write_all(&bytes[..bytes.len() - 1]).await.unwrap();
            drop(ours);
        };
        let receive = FramedRead::new(theirs, Codec::<u32>::new()).collect::<Vec<Result<u32>>>();
        let ((), got) = tokio::join!(send, receive);
        let codes: Vec<_> = got.iter().map(|each| each.as_ref().map_err(|e| e.code())).collect();
        assert_eq!(codes, [Ok(&1), Ok(&2), Ok(&3), Err(Code::Truncated)]);
    });
}
