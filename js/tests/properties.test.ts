/** Laws over all values: any value and any graph of objects survive a round trip. */

import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dumps, FrozenSet, loads, register, Tuple } from "../src/index.js";
import { Schema } from "../src/schema.js";

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
  fc.string({ unit: "binary" }),
  fc.uint8Array({ maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", new Date(0), new Float64Array([1, -0])),
);
const key = fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.string({ maxLength: 4 }));
/** Keys of Maps: also those that objects have, and data. */
const anyKey = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  key,
  fc.constantFrom(null, true, -1.5, "2020-01-01", "\ud800"),
);

class Point {
  constructor(readonly x: unknown) {}
}
register(Point, { name: "tests.properties.Point" });

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 12 }),
    fc.array(fc.tuple(anyKey, tie("value")), { maxLength: 5 }).map((entries) => new Map(entries)),
    fc.dictionary(fc.oneof(key, fc.constantFrom("2020-01-01", "\ud800")), tie("value"), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
    fc.array(fc.integer(), { maxLength: 6 }).map((items) => new Set(items)),
    tie("value").map((x) => new Point(x)),
  ),
})).value;

test.each(["fast", "balanced"] as const)("any value is read as it was written, in profile %s", (profile) => {
  fc.assert(
    fc.property(value, (written) => {
      // Not toStrictEqual, which takes a field `constructor` for that of a class.
      expect(isDeepStrictEqual(loads(dumps(written, { profile })), written)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

/** Values that take the same place in other formats, or in other rows of this one. */
const ALIKE: readonly (() => unknown)[] = [
  () => null,
  () => undefined,
  () => false,
  () => 0,
  () => -0,
  () => 1,
  () => 1.5,
  () => Number.NaN,
  () => 2n ** 70n,
  () => "",
  () => "0",
  () => "\ud800",
  () => ({}),
  () => ({ a: 1 }),
  () => ({ "2020-01-01": 1 }),
  () => ({ "\ud800": 1 }),
  () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
  () => [],
  () => [[]],
  () => new Map(),
  () => new Map([["a", 1]]),
  () => new Map([["\ud800", 1]]),
  () => new Map([[1, 2]]),
  () =>
    new Map<unknown, unknown>([
      ["a", 1],
      [null, 1],
    ]),
  () => new Set(),
  () => new Set([1]),
  () => new Uint8Array(),
  () => new Int8Array(),
  () => new Float64Array(),
  () => new BigInt64Array(),
  () => new Uint8ClampedArray(),
  () => new ArrayBuffer(0),
  () => new Date(0),
  () => new Date(Number.NaN),
  () => new Error(""),
  () => new Point(1),
  () => new Point({}),
  () => ({ x: 1 }),
  () => new Tuple(),
  () => new Tuple(1),
  () => new FrozenSet(),
];

/** A value with its classes, without stacks; also of invalid dates, which are not equal to each other. */
function text(value: unknown): string {
  return inspect(value, { depth: Infinity, maxArrayLength: Infinity, breakLength: Infinity }).replace(/\n +at .*/g, "");
}

test("whatever is at one place with others stays what it is", () => {
  const some = fc.array(fc.nat(ALIKE.length - 1), { minLength: 1, maxLength: 6 });
  const wraps = fc.constantFrom(
    (items: unknown[]): unknown => items,
    (items: unknown[]) => items.map((item) => ({ item })),
    (items: unknown[]) => new Map(items.map((item, i) => [i, item])),
    (items: unknown[]) => items.map((item) => [item, [item]]),
    (items: unknown[]) => ({ items, self: [] }),
    // At depth 32 all objects and maps share one type of each kind.
    (items: unknown[]) => Array.from({ length: 40 }).reduce((inside: unknown[]) => [inside], items),
    (items: unknown[]) => {
      const whole: unknown[] = [...items];
      whole.push({ whole });
      return whole;
    },
  );
  fc.assert(
    fc.property(some, wraps, (numbers, wrap) => {
      const written = wrap(numbers.map((i) => ALIKE[i]!()));
      const bytes = dumps(written);
      const read = loads(bytes);
      expect(text(read)).toBe(text(written));
      expect(dumps(read)).toEqual(bytes);
      expect(text(loads(bytes, { schema: Schema.of(bytes) }))).toBe(text(written));
    }),
    { numRuns: 1000 },
  );
});

/** Nodes that link to each other in any way, also to themselves. */
interface Node {
  id: number;
  links: Node[];
  best: Node | null;
  named: Map<string, Node>;
}

test("any graph keeps its links", () => {
  const shape = fc.array(
    fc.tuple(fc.array(fc.nat(20), { maxLength: 4 }), fc.option(fc.nat(20)), fc.array(fc.nat(20), { maxLength: 2 })),
    {
      minLength: 1,
      maxLength: 15,
    },
  );
  fc.assert(
    fc.property(shape, (links) => {
      const nodes: Node[] = links.map((_, id) => ({ id, links: [], best: null, named: new Map() }));
      const node = (i: number): Node => nodes[i % nodes.length]!;
      links.forEach(([list, best, named], i) => {
        node(i).links = list.map(node);
        node(i).best = best === null ? null : node(best);
        node(i).named = new Map(named.map((j) => [`to ${j}`, node(j)]));
      });
      const read = loads(dumps(nodes)) as Node[];
      expect(read.map((each) => each.id)).toEqual(nodes.map((each) => each.id));
      read.forEach((each, i) => {
        const was = nodes[i]!;
        expect(each.links.every((link, j) => link === read[was.links[j]!.id])).toBe(true);
        expect(each.links.length).toBe(was.links.length);
        expect(each.best).toBe(was.best === null ? null : read[was.best.id]);
        for (const [name, link] of was.named) expect(each.named.get(name)).toBe(read[link.id]);
      });
    }),
    { numRuns: 500 },
  );
});
