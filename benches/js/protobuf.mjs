/** protobuf-es with descriptors made from values, in place of code that its compiler generates. */

import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Label as Label, FieldDescriptorProto_Type as Type, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The type of all values of a field; undefined if Protobuf has none. Null is an absent field. */
function typeOf(values) {
  const kinds = new Set(values.filter((value) => value !== null).map((value) => (Array.isArray(value) ? "list" : typeof value)));
  if (kinds.size !== 1) return kinds.size === 0 ? "string" : undefined;
  return [...kinds][0];
}

function scalarOf(kind, values) {
  if (kind === "string") return Type.STRING;
  if (kind === "boolean") return Type.BOOL;
  const isWhole = values.every((value) => value === null || (Number.isInteger(value) && Math.abs(value) < 2 ** 31));
  return isWhole ? Type.SINT32 : Type.DOUBLE;
}

/** Adds the message of these objects to a file, and returns its name; undefined if Protobuf cannot hold them. */
function addMessage(file, objects) {
  const name = `M${file.messageType.length}`;
  const message = { name, field: [], oneofDecl: [] };
  file.messageType.push(message);
  const keys = new Set(objects.flatMap((object) => Object.keys(object)));
  for (const key of keys) {
    let values = objects.filter((object) => key in object).map((object) => object[key]);
    let kind = typeOf(values);
    const isList = kind === "list";
    if (isList) {
      values = values.filter((value) => value !== null).flat();
      kind = typeOf(values);
    }
    if (kind === undefined || kind === "list") return undefined;
    const number = message.field.length + 1;
    // A key such as 3166-2 is no name of a field; it is the name in JSON.
    const valid = /^[A-Za-z]\w*$/.test(key) ? key : `field${number}`;
    const field = { name: valid, jsonName: key, number, label: isList ? Label.REPEATED : Label.OPTIONAL };
    if (kind === "object") {
      const inner = addMessage(file, values.filter((value) => value !== null));
      if (inner === undefined) return undefined;
      Object.assign(field, { type: Type.MESSAGE, typeName: `.bench.${inner}` });
    } else {
      field.type = scalarOf(kind, values);
      if (!isList) {
        field.proto3Optional = true;
        field.oneofIndex = message.oneofDecl.length;
        message.oneofDecl.push({ name: `_${valid}` });
      }
    }
    message.field.push(field);
  }
  return name;
}

/** An object with the names of protobuf-es, which are in camel case; without nulls. */
function localOf(schema, object) {
  const local = {};
  for (const field of schema.fields) {
    const value = object[field.jsonName];
    if (value === undefined || value === null) continue;
    const inner = (each) => (field.message ? localOf(field.message, each) : each);
    local[field.localName] = Array.isArray(value) ? value.map(inner) : inner(value);
  }
  return local;
}

/** An object as it was given, but without nulls and empty lists. */
function plainOf(schema, message) {
  const plain = {};
  for (const field of schema.fields) {
    const value = message[field.localName];
    // Absent fields are inherited defaults.
    if (value === undefined || !Object.hasOwn(message, field.localName)) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    const inner = (each) => (field.message ? plainOf(field.message, each) : each);
    plain[field.jsonName] = Array.isArray(value) ? value.map(inner) : inner(value);
  }
  return plain;
}

/** How values of one kind are written and read; undefined if Protobuf has no type for them. */
export function protobufOf(values, table) {
  const file = { name: "bench.proto", package: "bench", syntax: "proto3", messageType: [] };
  const given = table ? [{ rows: values[0] }] : values;
  if (given.some((value) => typeof value !== "object" || Array.isArray(value))) return undefined;
  if (addMessage(file, given) === undefined) return undefined;
  const registry = createFileRegistry(create(FileDescriptorProtoSchema, file), () => undefined);
  const schema = registry.getMessage("bench.M0");
  return {
    prepare: (value) => localOf(schema, table ? { rows: value } : value),
    write: (local) => toBinary(schema, create(schema, local)),
    read: (bytes) => fromBinary(schema, bytes),
    plain: (message) => (table ? plainOf(schema, message).rows : plainOf(schema, message)),
  };
}
