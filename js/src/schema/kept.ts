/** The schemas of the messages before, so that equal bytes are not read again. */

import type { Input } from "../kernel/input.js";
import { readSchema } from "./read.js";
import type { Schema } from "./types.js";

const MOST_SCHEMAS = 16;
const MOST_BYTES = 65_536;

/** Some schemas, those that were used last at the front. */
export class KeptSchemas {
  private readonly schemas: Schema[] = [];
  private size = 0;

  /** Reads a schema, or moves past its bytes. Where `counted`, the number of definitions is at its head, and is not 0. */
  read(input: Input, counted: boolean): Schema {
    const { schemas } = this;
    for (let i = 0; i < schemas.length; i++) {
      const schema = schemas[i]!;
      if (!isNext(input, schema.bytes, counted)) continue;
      input.pos += schema.bytes.length - (counted ? 0 : 1);
      if (i > 0) {
        schemas.splice(i, 1);
        schemas.unshift(schema);
      }
      return schema;
    }
    const schema = readSchema(input, counted, false);
    if (schema.bytes.length > MOST_BYTES) return schema;
    schemas.unshift(schema);
    this.size += schema.bytes.length;
    while (schemas.length > MOST_SCHEMAS || this.size > MOST_BYTES) this.size -= schemas.pop()!.bytes.length;
    return schema;
  }
}

/**
 * Whether a schema is next in the input. No schema begins with another one. From the end on, because schemas of similar
 * values begin alike.
 */
function isNext(input: Input, schema: Uint8Array, counted: boolean): boolean {
  // Only without definitions their number is 0, and only then it is not in the message.
  if ((schema[0] !== 0) !== counted) return false;
  const { bytes } = input;
  const skipped = counted ? 0 : 1;
  const start = input.pos - skipped;
  if (start + schema.length > input.end) return false;
  for (let i = schema.length - 1; i >= skipped; i--) if (bytes[start + i] !== schema[i]) return false;
  return true;
}
