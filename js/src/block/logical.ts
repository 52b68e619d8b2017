/** The values that logical types mean (F-72). What JavaScript cannot hold stays a `Logical`. */

import { decodeWtf8 } from "../kernel/utf8.js";
import * as K from "../schema/logical.js";
import type { LogicalType } from "../schema/types.js";
import * as V from "../values.js";
import { fillSet } from "./apart.js";

/** The latest time of a Date, in ms. */
const LAST_DATE = 8.64e15;

/** The value of a storage. */
export function makeLogical(type: LogicalType, storage: unknown): unknown {
  const { kind, parameters } = type;
  const unit = V.UNITS[parameters[0]!]!;
  const parts = storage as never[];
  const asIs = (): V.Logical => new V.Logical(kind, parameters, storage);
  // A later version's encoding (F-77), of all of it or of a part.
  if (storage === V.UNKNOWN) return asIs();
  if ((storage instanceof V.Tuple || kind === K.BIT_VECTOR) && parts.includes(V.UNKNOWN as never)) return asIs();
  switch (kind) {
    case K.DATE:
      return new V.CalendarDate(storage as V.Integer);
    case K.TIME:
      return new V.TimeOfDay(storage as V.Integer, unit);
    case K.TIMESTAMP: {
      const zone = V.ZONES[parameters[1]!]!;
      if (zone === "offset" || zone === "zone") return new V.Timestamp(parts[0]!, unit, zone, parts[1]!);
      const value = storage as V.Integer;
      if (unit === "ms" && zone === "utc" && value >= -LAST_DATE && value <= LAST_DATE) return new Date(Number(value));
      return new V.Timestamp(value, unit, zone);
    }
    case K.DURATION:
      return new V.Duration(storage as V.Integer, unit);
    case K.DECIMAL:
      return new V.Decimal(Number(parts[0]), parts[1]!, parts[2]!);
    case K.RATIONAL:
      return new V.Rational(parts[0]!, parts[1]!);
    case K.COMPLEX:
      return new V.Complex(parts[0]!, parts[1]!, parameters[0] as 4 | 8);
    case K.UUID:
      return new V.Uuid(storage as Uint8Array);
    case K.CHAR:
      return new V.Char(Number(storage));
    case K.SET:
    case K.FROZEN_SET:
      return fillSet(kind === K.SET ? new Set() : new V.FrozenSet(), parts) ?? asIs();
    case K.LONG_TUPLE: {
      // F-74: a shorter one is no tuple that a writer writes.
      if (parts.length <= 8) return asIs();
      return V.Tuple.from(parts);
    }
    case K.BYTE_ARRAY:
      return (storage as Uint8Array).slice().buffer;
    case K.BIT_VECTOR: {
      const bytes = new Uint8Array(Math.ceil(parts.length / 8));
      for (let i = 0; i < parts.length; i++) if (parts[i]) bytes[i >> 3]! |= 1 << (i & 7);
      return new V.BitVector(parts.length, bytes);
    }
    case K.SYMBOL:
      return new V.Identifier(storage as string);
    case K.PATH:
      return new V.Path(storage as string, (["any", "posix", "windows"] as const)[parameters[0]!]);
    case K.URL_KIND:
      return (
        parsed(
          () => new URL(storage as string),
          (url) => url.href === storage,
        ) ?? asIs()
      );
    case K.IP_ADDRESS:
      return new V.IpAddress(storage as Uint8Array);
    case K.IP_NETWORK:
      return new V.IpNetwork(parts[0]!, Number(parts[1]));
    case K.REGULAR_EXPRESSION:
      return (
        parsed(
          () => new RegExp(parts[0]!, parts[1]!),
          (made) => made.source === parts[0] && made.flags === parts[1],
        ) ?? asIs()
      );
    case K.RANGE:
      return new V.Range(parts[0]!, parts[1]!, parts[2]!);
    case K.WTF8:
      return decodeWtf8(storage as Uint8Array) ?? asIs();
  }
  return asIs();
}

/** What a constructor makes of text, if it keeps the text. */
function parsed<T>(make: () => T, keeps: (made: T) => boolean): T | undefined {
  try {
    const made = make();
    return keeps(made) ? made : undefined;
  } catch {
    return undefined;
  }
}
