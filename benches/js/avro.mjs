/** avsc with schemas made from values. */

import { shapeOf, Unfit } from "./shapes.mjs";

/** The schema of values of a shape. Null stands for a field that an object lacks. */
function typeOf(shape, isAbsent, records) {
  if (isAbsent && shape.hasNull) throw new Unfit("a field is both null and absent: Avro has no absent fields");
  const types = [...shape.kinds].map((kind) => {
    if (kind === "number") return shape.isSmall ? "int" : shape.isWhole ? "long" : "double";
    if (kind === "list") return { type: "array", items: typeOf(shape.item, false, records) };
    if (kind === "map") return { type: "map", values: typeOf(shape.value, false, records) };
    return kind === "record" ? recordOf(shape, records) : kind;
  });
  if (isAbsent || shape.hasNull) types.unshift("null");
  return types.length === 1 ? types[0] : types.length === 0 ? "null" : types;
}

function recordOf(shape, records) {
  const name = `R${records.count++}`;
  const fields = [...shape.fields].map(([name, { shape: inner, isAbsent }]) => ({
    name,
    type: typeOf(inner, isAbsent, records),
    ...(isAbsent ? { default: null } : {}),
  }));
  return { type: "record", name, fields };
}

/** A value as it was given: without nulls of fields that an object lacked. */
function plainOf(shape, value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => plainOf(shape.item, item));
  const plain = {};
  for (const [name, inner] of Object.entries(value)) {
    const field = shape.fields?.get(name);
    if (!field?.isAbsent || inner !== null) plain[name] = plainOf(field?.shape ?? shape.value, inner);
  }
  return plain;
}

/** How values of one kind are written and read. */
export function avroOf(avsc, values) {
  const shape = shapeOf(values);
  const type = avsc.Type.forSchema(typeOf(shape, false, { count: 0 }));
  return {
    write: (value) => type.toBuffer(value),
    read: (bytes) => type.fromBuffer(Buffer.from(bytes)),
    plain: (value) => plainOf(shape, value),
  };
}
