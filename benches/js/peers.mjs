/** The codings to compare: each makes a pair of functions for one case, or nothing if it cannot hold the data. */

import * as flechette from "@uwdata/flechette";
import * as arrow from "apache-arrow";
import { Encoder as CborEncoder } from "cbor-x";
import * as devalue from "devalue";
import { parquetReadObjects } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { Packr } from "msgpackr";
import * as seroval from "seroval";
import superjson from "superjson";
import { avroOf } from "./avro.mjs";
import { protobufOf } from "./protobuf.mjs";
import { Unfit } from "./shapes.mjs";

/** It compiles code when it is loaded, which a policy can forbid. */
const avsc = await import("avsc").then(
  (module) => module.default,
  () => undefined,
);

const CYCLES = "cycles";
const TYPED = "typed arrays";

/** The columns of a table of rows. */
function columnsOf(rows) {
  return Object.keys(rows[0]).map((name) => ({ name, data: rows.map((row) => row[name]) }));
}

/** The same for hyparquet-writer: without a type it takes that of the first 1,000 rows, which may have no null. */
function parquetColumnsOf(rows) {
  return columnsOf(rows).map(({ name, data }) => {
    const values = data.filter((value) => value !== null);
    const isWhole = values.every((value) => value === (value | 0));
    const type = typeof values[0] === "string" ? "STRING" : isWhole ? "INT32" : "DOUBLE";
    return { name, data, type, nullable: true };
  });
}

export function peers(holdall, { needs, table, values }) {
  const list = [];
  const add = (name, write, read, holds = []) => {
    if (needs === undefined || holds.includes(needs)) list.push({ name, write, read });
  };
  for (const profile of ["balanced", "fast"]) {
    const encoder = new holdall.Encoder({ profile });
    const decoder = new holdall.Decoder();
    const read = (bytes) => decoder.loads(bytes);
    add(`holdall ${profile}`, (value) => encoder.encode(value), read, [CYCLES, TYPED]);
  }
  add("JSON", JSON.stringify, JSON.parse);
  // Without records msgpackr writes cycles of objects that it cannot read.
  const plain = new Packr({ useRecords: false, moreTypes: true });
  add("msgpackr plain", (value) => plain.pack(value), (bytes) => plain.unpack(bytes), [TYPED]);
  const records = new Packr({ structuredClone: needs === CYCLES, moreTypes: true });
  add("msgpackr records", (value) => records.pack(value), (bytes) => records.unpack(bytes), [CYCLES, TYPED]);
  const cbor = new CborEncoder({ structuredClone: needs === CYCLES });
  add("cbor-x", (value) => cbor.encode(value), (bytes) => cbor.decode(bytes), [CYCLES, TYPED]);
  add("devalue", devalue.stringify, devalue.parse, [CYCLES, TYPED]);
  add("superjson", superjson.stringify, superjson.parse, [TYPED]);
  add("seroval", (value) => JSON.stringify(seroval.toJSON(value)), (text) => seroval.fromJSON(JSON.parse(text), { maxBase64Length: Number.MAX_SAFE_INTEGER }), [CYCLES, TYPED]);
  const addTyped = (name, typed) => {
    if (needs !== undefined) return;
    try {
      list.push({ name, ...typed() });
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      list.push({ name, reason: error.message });
    }
  };
  if (avsc) addTyped("avsc", () => avroOf(avsc, values));
  addTyped("protobuf-es", () => protobufOf(values));
  if (table) {
    add(
      "apache-arrow",
      (rows) => arrow.tableToIPC(arrow.tableFromJSON(rows)),
      (bytes) => arrow.tableFromIPC(bytes).toArray().map((row) => ({ ...row.toJSON() })),
    );
    add(
      "flechette",
      (rows) => flechette.tableToIPC(flechette.tableFromArrays(columnsOf(rows).map(({ name, data }) => [name, data]))),
      (bytes) => flechette.tableFromIPC(bytes).toArray(),
    );
    add(
      "hyparquet",
      (rows) => new Uint8Array(parquetWriteBuffer({ columnData: parquetColumnsOf(rows) })),
      (bytes) => parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) }),
    );
  }
  return list;
}
