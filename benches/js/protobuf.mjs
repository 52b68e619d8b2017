/** protobuf-es with descriptors made from values, in place of code that its compiler generates. */

import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { shapeOf, Unfit } from "./shapes.mjs";

/** The only kind of values of a shape; those that are all null are absent strings. */
function kindOf(shape) {
  if (shape.kinds.size > 1) throw new Unfit("values of several types at one place: no descriptor is made for them");
  return [...shape.kinds][0] ?? "string";
}

/** Lists and maps inside others, and those that are a whole message, are in a record of one field. */
function boxed(shape) {
  return { kinds: new Set(["record"]), fields: new Map([["value", { shape, isAbsent: false }]]) };
}

function isBoxed(shape) {
  return shape.kinds.has("list") || shape.kinds.has("map");
}

/** The type of a field, of its items, or of the values of a map. */
function typeOf(file, shape) {
  const kind = kindOf(shape);
  if (kind === "string") return { type: Type.STRING };
  if (kind === "boolean") return { type: Type.BOOL };
  if (kind === "number") return { type: shape.isSmall ? Type.SINT32 : Type.DOUBLE };
  return { type: Type.MESSAGE, typeName: `.bench.${addMessage(file, isBoxed(shape) ? boxed(shape) : shape)}` };
}

/** Adds the message of a record to a file, and returns its name. */
function addMessage(file, shape) {
  const name = `M${file.messageType.length}`;
  const message = { name, field: [], oneofDecl: [], nestedType: [] };
  file.messageType.push(message);
  for (const [key, { shape: inner, isAbsent }] of shape.fields) {
    if (isAbsent && inner.hasNull) throw new Unfit("a field is both null and absent: Protobuf has no nulls");
    const number = message.field.length + 1;
    const field = { name: `f${number}`, jsonName: key, number, label: Label.OPTIONAL };
    const kind = kindOf(inner);
    if (kind === "list" || kind === "map") {
      const each = inner.item ?? inner.value;
      if (each.hasNull) throw new Unfit("Protobuf has no nulls in lists or maps");
      if ((isAbsent || inner.hasNull) && (inner.hasEmpty || kind === "map")) throw new Unfit("a list is both empty and absent: Protobuf has no absent lists");
      field.label = Label.REPEATED;
      if (kind === "list") Object.assign(field, typeOf(file, each));
      else Object.assign(field, { type: Type.MESSAGE, typeName: `.bench.${name}.${addEntry(file, message, number, each)}` });
    } else {
      Object.assign(field, typeOf(file, inner));
      if (kind !== "record") {
        field.proto3Optional = true;
        field.oneofIndex = message.oneofDecl.length;
        message.oneofDecl.push({ name: `_f${number}` });
      }
    }
    message.field.push(field);
  }
  return name;
}

/** Adds the entries of a map to the message of its field, and returns their name. */
function addEntry(file, message, number, shape) {
  const name = `F${number}Entry`;
  const field = [
    { name: "key", jsonName: "key", number: 1, label: Label.OPTIONAL, type: Type.STRING },
    { name: "value", jsonName: "value", number: 2, label: Label.OPTIONAL, ...typeOf(file, shape) },
  ];
  message.nestedType.push({ name, field, options: { mapEntry: true } });
  return name;
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** A value with the names of protobuf-es, and without nulls. */
function localOf(shape, value) {
  const inside = (each, item) => (isBoxed(each) ? { f1: localOf(each, item) } : localOf(each, item));
  if (Array.isArray(value)) return value.map((item) => inside(shape.item, item));
  if (typeof value !== "object") return value;
  if (shape.value !== undefined) return mapped(value, (item) => inside(shape.value, item));
  const local = {};
  let number = 0;
  for (const [key, field] of shape.fields) {
    number++;
    if (value[key] !== undefined && value[key] !== null) local[`f${number}`] = localOf(field.shape, value[key]);
  }
  return local;
}

/** A value as it was given. What is missing was absent, null, or empty, as its field says. */
function plainOf(shape, value) {
  const inside = (each, item) => plainOf(each, isBoxed(each) ? item.f1 : item);
  if (Array.isArray(value)) return value.map((item) => inside(shape.item, item));
  if (typeof value !== "object") return value;
  if (shape.value !== undefined) return mapped(value, (item) => inside(shape.value, item));
  const plain = {};
  let number = 0;
  for (const [key, { shape: inner, isAbsent }] of shape.fields) {
    number++;
    // Absent fields are inherited defaults, and lists are never absent.
    const found = Object.hasOwn(value, `f${number}`) ? value[`f${number}`] : undefined;
    const isNone = found === undefined || (Array.isArray(found) && found.length === 0 && (isAbsent || inner.hasNull));
    if (!isNone) plain[key] = plainOf(inner, found);
    else if (!isAbsent) plain[key] = null;
  }
  return plain;
}

/** How values of one kind are written and read. */
export function protobufOf(values) {
  const shape = shapeOf(values);
  const file = { name: "bench.proto", package: "bench", syntax: "proto3", messageType: [] };
  addMessage(file, isBoxed(shape) ? boxed(shape) : shape);
  const registry = createFileRegistry(create(FileDescriptorProtoSchema, file), () => undefined);
  const schema = registry.getMessage("bench.M0");
  return {
    prepare: (value) => (isBoxed(shape) ? { f1: localOf(shape, value) } : localOf(shape, value)),
    write: (local) => toBinary(schema, create(schema, local)),
    read: (bytes) => fromBinary(schema, bytes),
    plain: (message) => plainOf(shape, isBoxed(shape) ? message.f1 : message),
  };
}
