/** The first bytes of a message (F-8, F-66): the magic, the version with flags, and flags of the extension. */

export const MAGIC = 0xc1;
/** In the upper half of the second byte. */
export const VERSION = 1;

export const FINGERPRINT = 1;
export const DEFINITIONS = 2;
export const ALIGNED = 4;
export const EXTENDED = 8;

export const METADATA = 1;
export const CHECKSUM = 2;
export const LENGTH = 4;
export const DICTIONARY = 8;
