//! JSON Schema (2020-12) of what `holdall unpack --to json --logical storage` writes, and schemas from it.

mod pointer;
mod read;
mod variants;
mod write;

pub(crate) use self::read::parse;
pub(crate) use self::write::of;

/// The keywords that both directions use.
mod keyword {
    pub(super) const ADDITIONAL: &str = "additionalProperties";
    pub(super) const DEFINITIONS: &str = "$defs";
    pub(super) const FORMAT: &str = "format";
    pub(super) const ITEMS: &str = "items";
    pub(super) const MAX_ITEMS: &str = "maxItems";
    pub(super) const MAXIMUM: &str = "maximum";
    pub(super) const MIN_ITEMS: &str = "minItems";
    pub(super) const MINIMUM: &str = "minimum";
    pub(super) const PREFIX_ITEMS: &str = "prefixItems";
    pub(super) const PROPERTIES: &str = "properties";
    pub(super) const REFERENCE: &str = "$ref";
    pub(super) const REQUIRED: &str = "required";
    pub(super) const TITLE: &str = "title";
    pub(super) const TYPE: &str = "type";
    pub(super) const DESCRIPTION: &str = "description";
    pub(super) const ANY_OF: &str = "anyOf";
    pub(super) const ENUM: &str = "enum";
    pub(super) const ONE_OF: &str = "oneOf";
    pub(super) const CONST: &str = "const";
    /// What holdall says of a schema, which is no keyword of JSON Schema.
    pub(super) const HOLDALL: &str = "x-holdall";
    /// Of a named union.
    pub(super) const UNION: &str = "union";
}
