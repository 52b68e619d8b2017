//! UUIDs and addresses in formats of text: what RFC 9562 and RFC 5952 have for them, and for networks CIDR notation.

use std::fmt::Write;
use std::net::IpAddr;

use holdall::LogicalType;
use holdall::events::Event;

/// A type whose values have a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressForm {
    Uuid,
    Ip,
    /// A tuple of an address and the length of its prefix.
    Network,
}

impl AddressForm {
    pub(crate) fn of(ty: &LogicalType) -> Option<AddressForm> {
        match ty.kind() {
            LogicalType::UUID => Some(AddressForm::Uuid),
            LogicalType::IP_ADDRESS => Some(AddressForm::Ip),
            LogicalType::IP_NETWORK => Some(AddressForm::Network),
            _ => None,
        }
    }

    /// The text of the bytes that store a value.
    pub(crate) fn text(self, event: &Event<'_>) -> Option<String> {
        match (self, event) {
            (AddressForm::Uuid, Event::Fixed(bytes)) => uuid((*bytes).try_into().ok()?),
            (AddressForm::Ip, event) => ip(event).map(|address| address.to_string()),
            _ => None,
        }
    }

    /// The bytes that a text stands for, the inverse of [`AddressForm::text`]; none for other text.
    pub(crate) fn bytes(self, text: &str) -> Option<Vec<u8>> {
        match self {
            AddressForm::Uuid => {
                let digits = text.replace('-', "").to_ascii_lowercase();
                let number = u128::from_str_radix(&digits, 16).ok()?;
                let bytes = number.to_be_bytes();
                (uuid(bytes)? == text.to_ascii_lowercase()).then(|| bytes.to_vec())
            }
            AddressForm::Ip => Some(match text.parse().ok()? {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            }),
            AddressForm::Network => None,
        }
    }
}

fn uuid(bytes: [u8; 16]) -> Option<String> {
    let mut text = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        let hyphen = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
        write!(text, "{hyphen}{byte:02x}").ok()?;
    }
    Some(text)
}

/// The address of 4 or 16 bytes.
pub(crate) fn ip(event: &Event<'_>) -> Option<IpAddr> {
    let Event::Fixed(bytes) = event else { return None };
    let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from)).ok()
}
