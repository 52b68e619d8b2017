/** Schemas written by hand, the types of their values, and validators. */

import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { Decoder, dumps, HoldallError, type Integer, loads, open, schemaText, Tuple, Variant } from "../src/index.js";
import { type Infer, Schema, type Shape, s } from "../src/schema.js";
import { Reader, Writer } from "../src/stream.js";
import type * as V from "../src/values.js";

const UNITS = ["s", "ms", "us", "ns"] as const;

test.each<[Shape<unknown>, string]>([
  [s.tuple(s.null, s.bool, s.int, s.string, s.bytes), "tuple(null, bool, int, string, bytes)"],
  [s.tuple(s.u8, s.u16, s.u32, s.u64, s.u128), "tuple(u8, u16, u32, u64, u128)"],
  [s.tuple(s.i8, s.i16, s.i32, s.i64, s.i128), "tuple(i8, i16, i32, i64, i128)"],
  [s.tuple(s.f16, s.bf16, s.f32, s.f64), "tuple(f16, bf16, f32, f64)"],
  [s.option(s.list(s.array(3, s.fixed(4)))), "option(list(array(3, fixed(4))))"],
  [s.record({ id: s.int, "odd name": s.record({ id: s.bool }) }), 'record {id: int, "odd name": record {id: bool}}'],
  [s.partial({ a: s.int }), "record {a: int} sparse"],
  [s.struct("a.B", { x: s.f64 }), 'struct "a.B" {x: f64}'],
  [s.map(s.string, s.map(s.int, s.bool)), "map(string, map(int, bool))"],
  [s.variants({ A: s.null, B: s.int }), "union {A: null, B: int}"],
  [s.union(s.int, s.string), "union(int, string)"],
  [s.tensor(s.f32), "tensor(f32)"],
  [s.extension("py.deque", s.list(s.int)), 'extension "py.deque"(list(int))'],
  [s.tuple(s.date, s.calendarDate, s.time("us")), "tuple(timestamp[ms, utc](int), date(int), time[us](int))"],
  [s.tuple(...UNITS.map((unit) => s.duration(unit))), UNITS.map((u) => `duration[${u}](int)`).join(", ")],
  [s.timestamp("ns", "local"), "timestamp[ns, local](int)"],
  [s.timestamp("s", "offset"), "timestamp[s, offset](tuple(int, i32))"],
  [s.timestamp("s", "zone"), "timestamp[s, zone](tuple(int, string))"],
  [s.tuple(s.decimal, s.rational), "tuple(decimal(tuple(u8, int, int)), rational(tuple(int, int)))"],
  [s.tuple(s.complex, s.uuid, s.char), "tuple(complex[8](tuple(f64, f64)), uuid(fixed(16)), char(u32))"],
  [s.tuple(s.set(s.int), s.frozenSet(s.int)), "tuple(set(list(int)), frozen_set(list(int)))"],
  [s.orderedMap(s.string, s.int), "ordered_map(map(string, int))"],
  [s.tuple(s.arrayBuffer, s.bitVector), "tuple(byte_array(bytes), bit_vector(list(bool)))"],
  [s.tuple(s.identifier, s.path, s.url), "tuple(symbol(string), path[any, string](string), url(string))"],
  [s.tuple(s.ipAddress(4), s.ipAddress(6)), "tuple(ip_address[4](fixed(4)), ip_address[6](fixed(16)))"],
  [s.ipNetwork(6), "ip_network[6](tuple(fixed(16), u8))"],
  [s.regularExpression, "regular_expression(tuple(string, string))"],
  [s.tuple(s.range, s.wtf8), "tuple(range(tuple(int, int, int)), wtf8_string(bytes))"],
])("writes each type: %#", (shape, text) => {
  const { text: found } = Schema.from(shape);
  expect(text.startsWith("duration") ? found.slice(6, -1) : found).toBe(text);
});

type Tree = { name: string; children: Tree[] };
const tree: Shape<Tree> = s.record({ name: s.string, children: s.list(s.recursive(() => tree)) });

test("a recursive type is a definition", () => {
  const schema = Schema.from(s.recursive(() => tree));
  expect(schema.text).toBe("#0 where #0 = record {name: string, children: list(#0)}");
  const value: Tree = { name: "a", children: [{ name: "b", children: [] }] };
  const back = loads(dumps(value), { schema });
  expectTypeOf(back).toEqualTypeOf<Tree>();
  expect(back).toEqual(value);
});

test("shared objects keep their identity", () => {
  const point = s.record({ x: s.int });
  const schema = Schema.from(s.list(s.shared(() => point)));
  const shared = { x: 1 };
  const [a, b] = loads(dumps([shared, shared]), { schema });
  expect(a).toBe(b);
});

const user = s.record({
  id: s.u32,
  name: s.string,
  height: s.option(s.f64),
  tags: s.set(s.string),
  at: s.tuple(s.f64, s.f64),
  born: s.date,
});
const users = Schema.from(s.list(user));
type User = Infer<typeof user>;

test("the TypeScript type follows from the schema", () => {
  expectTypeOf<User>().toEqualTypeOf<{
    id: number;
    name: string;
    height: number | null;
    tags: Set<string>;
    at: [number, number];
    born: Date;
  }>();
  expectTypeOf<Infer<typeof users>>().toEqualTypeOf<User[]>();
  const shape = s.struct("P", { n: s.int, of: s.map(s.string, s.bool), by: s.map(s.int, s.bool) });
  expectTypeOf<Infer<typeof shape>>().toEqualTypeOf<
    V.Record<{ n: Integer; of: { [key: string]: boolean }; by: Map<Integer, boolean> }>
  >();
  const either = s.union(s.string, s.int);
  expectTypeOf<Infer<typeof either>>().toEqualTypeOf<string | Integer>();
  const some = s.partial({ a: s.bool });
  expectTypeOf<Infer<typeof some>>().toEqualTypeOf<{ a?: boolean }>();
});

test("data are read into the schema", () => {
  const value = { id: 1, name: "Ada", height: 2, tags: new Set(["x"]), at: new Tuple(1, 2.5), born: new Date(0) };
  const message = dumps([value, { ...value, height: null, extra: 1 }]);
  const back = loads(message, { schema: users });
  expectTypeOf(back).toEqualTypeOf<User[]>();
  expectTypeOf(loads(message)).toEqualTypeOf<unknown>();
  expectTypeOf(loads(message, { int: "auto" })).toEqualTypeOf<unknown>();
  expect(back[1]!.height).toBeNull();
  expect(Object.keys(back[1]!)).toEqual(["id", "name", "height", "tags", "at", "born"]);
  expect(new Decoder({ schema: users }).loads(message)[0]!.born).toEqual(new Date(0));
  expect(() => loads(dumps([{ id: -1 }]), { schema: users })).toThrow(HoldallError);
});

test("of a partial record a row has what the data have", () => {
  const schema = Schema.from(s.list(s.partial({ a: s.int, b: s.string })));
  expect(loads(dumps([{ a: 1 }, { b: "x" }, {}]), { schema })).toEqual([{ a: 1 }, { b: "x" }, {}]);
});

test("variants have their names as types", () => {
  const shape = s.variants({ Circle: s.f64, Empty: s.null });
  const schema = Schema.from(shape);
  const back = loads(dumps(new Variant("Circle", 2)), { schema });
  if (back.name === "Circle") expectTypeOf(back.value).toEqualTypeOf<number>();
  expect([back.name, back.value]).toEqual(["Circle", 2]);
});

test("types that the format does not allow are refused", () => {
  const code = (shape: Shape<unknown>) => {
    try {
      Schema.from(shape);
    } catch (error) {
      return (error as HoldallError).code;
    }
    return undefined;
  };
  expect(code(s.union(s.int, s.int))).toBe("bad_union");
  expect(code(s.tensor(s.string))).toBe("bad_packed");
});

describe("a validator", () => {
  const validate = v.object({ id: v.pipe(v.number(), v.minValue(1)), tags: v.array(v.string()) });

  test("gives the value as it makes it", () => {
    const back = loads(dumps({ id: 1, tags: ["a"], more: true }), { validate });
    expectTypeOf(back).toEqualTypeOf<{ id: number; tags: string[] }>();
    expect(back).toEqual({ id: 1, tags: ["a"] });
  });

  test("refuses with the place and its own message", () => {
    for (const rows of [1, 3000]) {
      const message = dumps({ id: 1, tags: [...Array(rows).fill("a"), 2] });
      expect(() => loads(message, { validate })).toThrow(
        expect.objectContaining({ code: "custom", path: `$.tags[${rows}]`, got: expect.stringContaining("string") }),
      );
    }
    expect(() => loads(dumps({ id: 0, tags: [] }), { validate })).toThrow(
      expect.objectContaining({ code: "custom", path: "$.id" }),
    );
  });

  test("checks each value of a stream", async () => {
    const chunks: Uint8Array[] = [];
    const writer = new Writer(chunks, { blockRows: 1 });
    await writer.write({ id: 1, tags: [] });
    await writer.write({ id: 0, tags: [] });
    await writer.close();
    const ids: number[] = [];
    const read = async () => {
      for await (const { id } of new Reader(chunks, { validate })) ids.push(id);
    };
    await expect(read()).rejects.toMatchObject({ code: "custom", path: "$.id" });
    expect(ids).toEqual([1]);
  });

  test("that is asynchronous, or of a view, is refused", () => {
    const later = v.pipeAsync(
      v.number(),
      v.checkAsync(async () => true),
    );
    expect(() => loads(dumps(1), { validate: later })).toThrow(TypeError);
    expect(() => open(dumps([1]), { validate })).toThrow(expect.objectContaining({ code: "unsupported" }));
  });
});

test("schema text of a built schema is that of the message it reads", () => {
  expect(Schema.from(s.list(s.record({ a: s.int }))).text).toBe(schemaText(Schema.of(dumps([{ a: 1 }]))));
});
