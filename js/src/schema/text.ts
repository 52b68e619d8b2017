/** Types as text (F-55). */

import { KINDS } from "./logical.js";
import * as T from "./types.js";

/** The text of a schema: its root, then its definitions. */
export function schemaText(schema: T.Schema): string {
  const definitions = schema.definitions.map((type, i) => `#${i} = ${typeText(type)}`);
  return typeText(schema.root) + (definitions.length > 0 ? ` where ${definitions.join(", ")}` : "");
}

/** The text of a type. */
export function typeText(type: T.Type): string {
  if (type.code <= T.BYTES) return (T.SCALAR_NAMES as readonly string[])[type.code]!;
  switch (type.code) {
    case T.FIXED:
      return `fixed(${type.exact ?? type.size})`;
    case T.OPTION:
      return `option(${typeText(type.item)})`;
    case T.LIST:
      return `list(${typeText(type.item)})`;
    case T.TENSOR:
      return `tensor(${typeText(type.item)})`;
    case T.PACKED:
      return `packed(${typeText(type.item)})`;
    case T.ARRAY:
      return `array(${type.exact ?? type.size}, ${typeText(type.item)})`;
    case T.TUPLE:
      return `tuple(${type.items.map(typeText).join(", ")})`;
    case T.MAP:
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case T.UNION:
      if (!type.named) return `union(${type.variants.map((each) => typeText(each.type)).join(", ")})`;
      return `union ${namedText(type.variants)}`;
    case T.RECORD:
    case T.STRUCT: {
      const head = type.code === T.STRUCT ? `struct ${nameText(type.name)}` : "record";
      return `${head} ${namedText(type.fields)}${shapesText(type)}`;
    }
    case T.DEF:
      return `#${type.index}`;
    case T.SHARED:
      return `shared(#${type.index})`;
    case T.LOGICAL:
      return `${kindText(type.kind, type.parameters)}(${typeText(type.storage)})`;
    case T.EXTENSION:
      return `extension ${quoted(type.name)}(${typeText(type.item)})`;
    case T.LATER:
      return `unknown[${hexText([type.actual, ...type.parameters])}]`;
  }
  throw new TypeError("a code without a type");
}

function namedText(list: readonly T.NamedType[]): string {
  return `{${list.map((each) => `${nameText(each.name)}: ${typeText(each.type)}`).join(", ")}}`;
}

function shapesText(type: T.RecordType): string {
  if (type.form === T.FORM_SPARSE) return " sparse";
  if (type.form === T.FORM_ALL) return "";
  return ` [${type.shapes.map((shape) => shape.join(" ") || "-").join(", ")}]`;
}

/** A name: bare, or as a JSON string. */
export function nameText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : quoted(name);
}

function quoted(name: string): string {
  const escaped = name.replace(/["\\]|[\0-\x1f]/g, (character) =>
    character < " " ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : `\\${character}`,
  );
  return `"${escaped}"`;
}

function hexText(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

function kindText(kind: number, parameters: Uint8Array): string {
  const known = KINDS[kind];
  if (known === undefined) return `logical[${hexText([kind, ...parameters])}]`;
  const texts = Array.from(parameters, (byte, i) => (known[i + 1] as { [byte: number]: string })[byte]!);
  return known[0] + (texts.length > 0 ? `[${texts.join(", ")}]` : "");
}
