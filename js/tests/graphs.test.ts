/** Graphs of objects of all kinds, linked in any way: they come back with the same links, and as the same bytes. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { dumps, loads, Record, register } from "../src/index.js";

class Tree {
  links: unknown[] = [];
}
register(Tree, { name: "graphs.Tree" });

/** Makes an object of each kind, adds a link to it, and lists its links. */
interface Kind {
  make(): object;
  add(object: never, link: object, n: number): void;
  links(object: never): unknown[];
}

const KINDS: readonly Kind[] = [
  {
    make: () => ({}),
    add: (object: { [key: string]: object }, link, n) => void (object[`to_${n}`] = link),
    links: (object: object) => Object.values(object),
  },
  { make: () => [], add: (list: object[], link) => void list.push(link), links: (list: unknown[]) => list },
  {
    make: () => new Map([[0, null]]),
    add: (map: Map<number, object>, link, n) => void map.set(n + 1, link),
    links: (map: Map<number, unknown>) => [...map.values()],
  },
  {
    make: () => new Set(),
    add: (set: Set<object>, link) => void set.add(link),
    links: (set: Set<unknown>) => [...set],
  },
  {
    make: () => new Tree(),
    add: (tree: Tree, link) => void tree.links.push(link),
    links: (tree: Tree) => tree.links,
  },
  {
    make: () => new Record<{ links: object[] }>("graphs.Other", { links: [] }),
    add: (record: Record<{ links: object[] }>, link) => void record.fields.links.push(link),
    links: (record: Record<{ links: unknown[] }>) => record.fields.links,
  },
  {
    make: () => new Error("e", { cause: [] }),
    add: (error: Error, link) => void (error.cause as object[]).push(link),
    links: (error: Error) => error.cause as unknown[],
  },
  { make: () => new Date(0), add: () => {}, links: () => [] },
];

/** An object and a Map at one place are rows of one type (F-49), so graphs have one or the other. */
const OBJECT = 0;
const MAP = 2;

function graphsWithout(kind: number): fc.Arbitrary<[kind: number, links: number[]][]> {
  const kinds = KINDS.map((_, i) => i).filter((i) => i !== kind);
  const node = fc.tuple(fc.constantFrom(...kinds), fc.array(fc.nat(11), { maxLength: 4 }));
  return fc.array(node, { minLength: 1, maxLength: 12 });
}

/** Throws unless both are of the same kinds and linked alike. */
function compare(written: unknown, read: unknown): void {
  const pairs = new Map<unknown, unknown>();
  const open: [unknown, unknown][] = [[written, read]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [a, b] = next;
    if (typeof a !== "object" || a === null) {
      expect(b).toBe(a);
      continue;
    }
    if (pairs.has(a)) {
      expect(pairs.get(a) === b).toBe(true);
      continue;
    }
    pairs.set(a, b);
    expect(Object.getPrototypeOf(b) === Object.getPrototypeOf(a)).toBe(true);
    const kind = KINDS.find((each) => Object.getPrototypeOf(each.make()) === Object.getPrototypeOf(a))!;
    const links = [kind.links(a as never), kind.links(b as never)] as const;
    expect(links[1].length).toBe(links[0].length);
    links[0].forEach((link, i) => {
      open.push([link, links[1][i]]);
    });
  }
  // No two objects became one.
  expect(new Set(pairs.values()).size).toBe(pairs.size);
}

test.each([
  ["objects", "fast", MAP],
  ["objects", "balanced", MAP],
  ["maps", "fast", OBJECT],
  ["maps", "balanced", OBJECT],
] as const)("any graph of all kinds with %s keeps its links, in profile %s", (_, profile, without) => {
  fc.assert(
    fc.property(graphsWithout(without), (shape) => {
      const nodes = shape.map(([kind]) => KINDS[kind]!.make());
      shape.forEach(([kind, links], i) => {
        for (const [n, link] of links.entries()) KINDS[kind]!.add(nodes[i] as never, nodes[link % nodes.length]!, n);
      });
      const bytes = dumps(nodes, { profile });
      const back = loads(bytes);
      compare(nodes, back);
      expect(dumps(back, { profile })).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});
