/** Laws over all values: any value and any graph of objects survive a round trip. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dumps, loads } from "../src/index.js";

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
/** An object and a Map at one place are rows of one type (F-49), so values have one or the other. */
function valuesWith(maps: boolean): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("value"), { maxLength: 12 }),
      maps
        ? fc.array(fc.tuple(fc.integer(), tie("value")), { maxLength: 5 }).map((entries) => new Map(entries))
        : fc.dictionary(key, tie("value"), { maxKeys: 5, noNullPrototype: true }),
      fc.array(fc.integer(), { maxLength: 6 }).map((items) => new Set(items)),
    ),
  })).value;
}

test.each([
  ["objects", "fast"],
  ["objects", "balanced"],
  ["maps", "fast"],
  ["maps", "balanced"],
] as const)("any value with %s is read as it was written, in profile %s", (kind, profile) => {
  fc.assert(
    fc.property(valuesWith(kind === "maps"), (written) => {
      // Not toStrictEqual, which takes a field `constructor` for that of a class.
      expect(isDeepStrictEqual(loads(dumps(written, { profile })), written)).toBe(true);
    }),
    { numRuns: 500 },
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
