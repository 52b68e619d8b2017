//! The ways between JSON text, a tree in memory and each format's bytes.
//!
//! Valid data only: a failure means that the benchmark is wrong, so these functions panic.

use holdall::{Encoder, Profile};
use serde_json::Value;

use crate::Case;
use crate::ordered::Ordered;

/// Ways between JSON text, `serde_json::Value` and the bytes of one peer.
pub struct Peer {
    /// The name in tables.
    pub name: &'static str,
    /// A tree to the format's bytes.
    pub from_tree: fn(&Value) -> Vec<u8>,
    /// The format's bytes to a tree.
    pub to_tree: fn(&[u8]) -> Value,
}

/// JSON text itself, by serde_json.
pub const JSON: Peer = Peer {
    name: "JSON",
    from_tree: |tree| serde_json::to_vec(tree).expect("a tree has string keys"),
    to_tree: |text| serde_json::from_slice(text).expect("text is valid JSON"),
};

/// MessagePack by rmp-serde.
pub const MESSAGEPACK: Peer = Peer {
    name: "MessagePack",
    from_tree: |tree| rmp_serde::to_vec(tree).expect("a tree fits MessagePack"),
    to_tree: |bytes| rmp_serde::from_slice(bytes).expect("bytes are MessagePack"),
};

/// CBOR by ciborium.
pub const CBOR: Peer = Peer {
    name: "CBOR",
    from_tree: |tree| {
        let mut bytes = Vec::new();
        ciborium::into_writer(tree, &mut bytes).expect("a tree fits CBOR");
        bytes
    },
    to_tree: |bytes| ciborium::from_reader(bytes).expect("bytes are CBOR"),
};

impl Peer {
    /// JSON text to the format's bytes, through a tree.
    #[must_use]
    pub fn from_text(&self, text: &[u8]) -> Vec<u8> {
        (self.from_tree)(&(JSON.to_tree)(text))
    }

    /// The format's bytes to JSON text, through a tree.
    #[must_use]
    pub fn to_text(&self, bytes: &[u8]) -> Vec<u8> {
        (JSON.from_tree)(&(self.to_tree)(bytes))
    }
}

/// JSON text to MessagePack, value by value without a tree.
#[must_use]
pub fn stream_to_messagepack(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let mut writer = rmp_serde::Serializer::new(&mut bytes);
    serde_transcode::transcode(&mut reader, &mut writer).expect("text is valid JSON");
    bytes
}

/// MessagePack to JSON text, value by value without a tree.
#[must_use]
pub fn stream_from_messagepack(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut reader = rmp_serde::Deserializer::from_read_ref(bytes);
    let mut writer = serde_json::Serializer::new(&mut text);
    serde_transcode::transcode(&mut reader, &mut writer).expect("bytes are MessagePack");
    text
}

/// JSON text to a holdall message.
#[must_use]
pub fn pack(text: &[u8]) -> Vec<u8> {
    holdall_convert::json::pack(text).expect("text is valid JSON")
}

/// JSON text to a holdall message of a profile.
#[must_use]
pub fn pack_in(profile: Profile, text: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new().profile(profile);
    holdall_convert::json::pack_with(&mut encoder, text).expect("text is valid JSON")
}

/// A tree in memory to a holdall message of a profile.
#[must_use]
pub fn encode_in(profile: Profile, value: &holdall::Value) -> Vec<u8> {
    Encoder::new().profile(profile).message(&mut &*value).expect("it was read")
}

/// A holdall message to JSON text.
#[must_use]
pub fn unpack(bytes: &[u8]) -> Vec<u8> {
    holdall_convert::json::unpack(bytes).expect("bytes are a holdall message")
}

/// Checks that every format preserves the case, and holdall also the order of keys.
///
/// # Panics
///
/// Panics if one does not.
pub fn check(case: &Case) {
    let tree = (JSON.to_tree)(&case.text);
    for peer in [JSON, MESSAGEPACK, CBOR] {
        let back = (peer.to_tree)(&(peer.from_tree)(&tree));
        assert!(back == tree, "{}: {} changes it", case.name, peer.name);
    }

    let streamed = stream_to_messagepack(&case.text);
    let back = (JSON.to_tree)(&stream_from_messagepack(&streamed));
    assert!(back == tree, "{}: streaming changes it", case.name);

    let ordered =
        |text: &[u8]| -> Ordered { serde_json::from_slice(text).expect("text was parsed before") };
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let text = unpack(&pack_in(profile, &case.text));
        let back = (JSON.to_tree)(&text);
        assert!(back == tree, "{}: holdall {profile:?} changes it", case.name);
        assert!(
            ordered(&text) == ordered(&case.text),
            "{}: holdall {profile:?} changes the order of keys",
            case.name
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_through_a_tree_and_streamed_give_the_same_messagepack() {
        // Keys in alphabetical order, since the tree sorts them.
        let text = br#"{"a":[1,-2,3.5,null,true],"b":{"c":"d"}}"#;
        assert_eq!(MESSAGEPACK.from_text(text), stream_to_messagepack(text));
    }

    #[test]
    fn exact_numbers_and_escapes_survive() {
        let text = br#"{"z":[0,-1,18446744073709551615,-9223372036854775808,0.1,1e300,-0.0,5e-324],"a":"\u0000\ud83d\ude00\"\\"}"#;
        check(&Case::new("numbers and escapes", text));
    }
}
