//! Internet addresses.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use crate::error::Result;
use crate::schema::{LogicalType, Scalar};
use crate::typed::{Columns, Decode, Description, Encode, RowSizes, Rows, Site, Types};

macro_rules! addresses {
    ($($ty:ty, $version:literal, $len:literal;)*) => {$(
        impl Encode for $ty {
            const SIZES: RowSizes = RowSizes::raw($len);

            fn describe(types: &mut Types) -> Description {
                let octets = types.add(Description::scalar(Scalar::Fixed($len)));
                let ty = LogicalType::unchecked(LogicalType::IP_ADDRESS, &[$version]);
                Description::logical(ty, octets)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.buffers.fixed(columns.child(site, 0), &self.octets())
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                <$ty as Encode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                rows.fixed::<$len>(rows.child(site, 0)).map(<$ty>::from)
            }
        }
    )*};
}

addresses! {
    Ipv4Addr, 4, 4;
    Ipv6Addr, 6, 16;
}

macro_rules! either {
    ($($ty:ident, $v4:ty, $v6:ty;)*) => {$(
        impl Encode for $ty {
            fn describe(types: &mut Types) -> Description {
                let (v4, v6) = (types.written::<$v4>(), types.written::<$v6>());
                Description::variants([("V4", v4), ("V6", v6)])
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                match self {
                    $ty::V4(address) => {
                        columns.number(site, 0)?;
                        address.write(columns.child(site, 0), columns)
                    }
                    $ty::V6(address) => {
                        columns.number(site, 1)?;
                        address.write(columns.child(site, 1), columns)
                    }
                }
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                <$ty as Encode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                match rows.number(site)? {
                    0 => <$v4>::read(rows.child(site, 0), rows).map($ty::V4),
                    _ => <$v6>::read(rows.child(site, 1), rows).map($ty::V6),
                }
            }
        }
    )*};
}

either! {
    IpAddr, Ipv4Addr, Ipv6Addr;
    SocketAddr, SocketAddrV4, SocketAddrV6;
}

impl Encode for SocketAddrV4 {
    fn describe(types: &mut Types) -> Description {
        <(Ipv4Addr, u16) as Encode>::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        (*self.ip(), self.port()).write(site, columns)
    }
}

impl<'de> Decode<'de> for SocketAddrV4 {
    fn describe(types: &mut Types) -> Description {
        <(Ipv4Addr, u16) as Decode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        <(Ipv4Addr, u16)>::read(site, rows).map(|(ip, port)| SocketAddrV4::new(ip, port))
    }
}

/// Address, port, flow information and scope.
type V6Parts = (Ipv6Addr, u16, u32, u32);

impl Encode for SocketAddrV6 {
    fn describe(types: &mut Types) -> Description {
        <V6Parts as Encode>::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        (*self.ip(), self.port(), self.flowinfo(), self.scope_id()).write(site, columns)
    }
}

impl<'de> Decode<'de> for SocketAddrV6 {
    fn describe(types: &mut Types) -> Description {
        <V6Parts as Decode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let (ip, port, flow, scope) = V6Parts::read(site, rows)?;
        Ok(SocketAddrV6::new(ip, port, flow, scope))
    }
}
