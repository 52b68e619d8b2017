//! Vectors, matrices and rotations: arrays of their numbers, matrices by columns. nalgebra's have the same form.

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, RowSizes, Rows, Site, Types,
};

macro_rules! arrays {
    (|$own:ident| $to:expr, |$array:ident, $of:ident| $from:expr; $($ty:ident: $form:ty;)*) => {$(
        impl Encode for glam::$ty {
            const SIZES: RowSizes = <$form>::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$form>())
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = *self;
                $to.write(site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                let $own = *self;
                $to.write_inline(columns)
            }
        }

        impl<'de> Decode<'de> for glam::$ty {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<$form>())
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                use glam::$ty as $of;
                <$form>::read(site, rows).map(|$array| $from)
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                use glam::$ty as $of;
                <$form>::read_inline(rows).map(|$array| $from)
            }
        }
    )*};
}

arrays! {
    |own| own.to_array(), |array, Own| Own::from_array(array);
    Vec2: [f32; 2];
    Vec3: [f32; 3];
    Vec3A: [f32; 3];
    Vec4: [f32; 4];
    DVec2: [f64; 2];
    DVec3: [f64; 3];
    DVec4: [f64; 4];
    IVec2: [i32; 2];
    IVec3: [i32; 3];
    IVec4: [i32; 4];
    UVec2: [u32; 2];
    UVec3: [u32; 3];
    UVec4: [u32; 4];
    I16Vec2: [i16; 2];
    I16Vec3: [i16; 3];
    I16Vec4: [i16; 4];
    U16Vec2: [u16; 2];
    U16Vec3: [u16; 3];
    U16Vec4: [u16; 4];
    I64Vec2: [i64; 2];
    I64Vec3: [i64; 3];
    I64Vec4: [i64; 4];
    U64Vec2: [u64; 2];
    U64Vec3: [u64; 3];
    U64Vec4: [u64; 4];
    I8Vec2: [i8; 2];
    I8Vec3: [i8; 3];
    I8Vec4: [i8; 4];
    U8Vec2: [u8; 2];
    U8Vec3: [u8; 3];
    U8Vec4: [u8; 4];
    USizeVec2: [usize; 2];
    USizeVec3: [usize; 3];
    USizeVec4: [usize; 4];
    Quat: [f32; 4];
    DQuat: [f64; 4];
}

arrays! {
    |own| [own.x, own.y], |array, Own| Own::from_array(array);
    BVec2: [bool; 2];
}

arrays! {
    |own| [own.x, own.y, own.z], |array, Own| Own::from_array(array);
    BVec3: [bool; 3];
}

arrays! {
    |own| [own.x, own.y, own.z, own.w], |array, Own| Own::from_array(array);
    BVec4: [bool; 4];
}

arrays! {
    |own| own.to_cols_array_2d(), |array, Own| Own::from_cols_array_2d(&array);
    Mat2: [[f32; 2]; 2];
    Mat3: [[f32; 3]; 3];
    Mat3A: [[f32; 3]; 3];
    Mat4: [[f32; 4]; 4];
    DMat2: [[f64; 2]; 2];
    DMat3: [[f64; 3]; 3];
    DMat4: [[f64; 4]; 4];
    Affine2: [[f32; 2]; 3];
    Affine3A: [[f32; 3]; 4];
    DAffine2: [[f64; 2]; 3];
    DAffine3: [[f64; 3]; 4];
}
