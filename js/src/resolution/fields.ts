/** Pairs the fields of a struct or record with those of another, or with the keys of a map (F-79). */

import * as T from "../schema/types.js";
import { FIELDS_RULE, type Pair } from "./pairs.js";
import * as P from "./places.js";
import type { Resolver } from "./resolve.js";

export function planFields(resolver: Resolver, pair: Pair, r: T.RecordType): void {
  const { changes } = resolver;
  const { type: w } = pair.writer;
  const fields = new Map<string, T.Type>();
  if (w.code !== T.MAP) for (const each of (w as T.RecordType).fields) fields.set(each.name, each.type);
  const struct = r.code === T.STRUCT ? r.name : null;
  const given = <E extends readonly [string | null, string, ...unknown[]]>(
    list: readonly E[] | undefined,
    name: string,
  ) => list?.find((each) => each[0] === struct && each[1] === name);
  // A name of the writer's belongs to the field with that name, or else to the first field with it as an alias.
  const owners = new Map(r.fields.map(({ name }) => [name, name]));
  const names = new Map(r.fields.map(({ name }) => [name, [name]]));
  for (const { name } of r.fields) {
    for (const alias of given(changes.aliases, name)?.[2] ?? []) {
      if (!owners.has(alias)) owners.set(alias, name);
      const own = names.get(name)!;
      if (owners.get(alias) === name && !own.includes(alias)) own.push(alias);
    }
  }
  const isUnchanged = pair.reader.side === resolver.writerSide;
  for (const { name, type } of r.fields) {
    const reader = P.inside(pair.reader, type);
    let known = names.get(name)!.filter((each) => w.code === T.MAP || fields.has(each));
    // Every row has the first of them.
    if (w.code !== T.MAP && (w as T.RecordType).form === T.FORM_ALL) known = known.slice(0, 1);
    const isOpen = given(changes.open, name) !== undefined;
    const sources = known.map((each): [string, Pair] => {
      const writer = P.inside(pair.writer, w.code === T.MAP ? w.value : fields.get(each)!);
      // An open field takes any type, as if it were that type.
      return [each, resolver.add(pair, P.fieldStep(name), resolver.pair(writer, isOpen ? writer : reader))];
    });
    const leavesOut = r.form !== T.FORM_ALL;
    const byDefault = isUnchanged ? undefined : given(changes.defaults, name);
    let fallback = byDefault && { value: byDefault[2] };
    if (fallback === undefined && !leavesOut && P.takesNull(reader)) fallback = { value: null };
    if (sources.length === 0 && fallback === undefined && !leavesOut) {
      resolver.add(pair, P.fieldStep(name), resolver.failure(pair.writer, reader, "missing_field", FIELDS_RULE));
    }
    pair.fields.push({ name, sources, fallback, leavesOut });
  }
  if (changes.unknownFields !== "error") return;
  for (const name of fields.keys()) {
    if (owners.has(name)) continue;
    resolver.add(pair, P.fieldStep(name), resolver.failure(pair.writer, pair.reader, "unknown_field", FIELDS_RULE));
  }
}
