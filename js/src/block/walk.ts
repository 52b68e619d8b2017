/** The walk (chapter 7): which row of a definition each def and shared stands for. Its stack is explicit (F-37). */

import { fault, HoldallError, rowOf } from "../error.js";
import * as T from "../schema/types.js";
import { duplicateKey, isCompared } from "./keys.js";
import { orderOf } from "./order.js";
import { stepText } from "./path.js";
import { type Block, Site } from "./read.js";

/** Walks all roots, with the checks of F-64, F-36 and F-87. A block without definitions needs no walk. */
export function walk(block: Block, counts: readonly number[]): void {
  const { root, definitions } = block;
  const leads = new Set<Site>();
  mark(root, leads, undefined);
  const { cyclic } = orderOf(definitions);
  definitions.forEach((site, i) => {
    mark(site, leads, cyclic.has(i) ? cyclic : undefined);
  });
  try {
    new Walker(definitions, leads).roots(root);
  } catch (error) {
    if (!(error instanceof HoldallError)) throw error;
    throw error.with({ path: new PathWalker(definitions, leads).pathOf(root) });
  }
  definitions.forEach((site, i) => {
    if (site.taken < site.n) throw fault("unreachable_rows", counts[i]!);
  });
}

/** Notes the sites that contain a def or shared, and those in a cyclic definition that contain one of a cyclic definition. */
function mark(site: Site, leads: Set<Site>, cyclic: Set<number> | undefined): boolean {
  const { type, n } = site;
  let recorded = false;
  if (n > 0 && (type.code === T.DEF || type.code === T.SHARED)) {
    leads.add(site);
    site.targets = new Int32Array(n);
    return cyclic?.has(type.index) ?? false;
  }
  for (const inside of site.inside) {
    if (mark(inside, leads, cyclic)) recorded = true;
    if (leads.has(inside)) leads.add(site);
  }
  if (type.code === T.MAP && n > 0 && isCompared(type.key)) leads.add(site);
  if (recorded) {
    const byItem = type.code === T.LIST || type.code === T.ARRAY || type.code === T.MAP;
    site.children = site.inside.map((inside) => new Int32Array(byItem ? inside.n : n));
  }
  return recorded;
}

/** In place of notes, for entries of a map: the rows of their keys and values are noted. */
const ENTRIES = new Int32Array(0);
/** In place of notes, for a map whose entries are complete: its keys are compared (F-35). */
const COMPLETE = new Int32Array(0);

class Walker {
  protected readonly sites: Site[] = [];
  protected readonly rows: number[] = [];
  /** Where the numbers of the rows are noted. */
  private readonly notes: (Int32Array | undefined)[] = [];
  private readonly noteAt: number[] = [];
  private readonly entries = new Map<Site, Site>();
  private readonly starts = new Map<Site, Float64Array>();
  /** Of each definition, the first row of the current root (F-87), and the chain that began each row last. */
  private readonly first: number[];
  private readonly chains: Int32Array[];
  private chain = 0;

  constructor(
    protected readonly definitions: readonly Site[],
    private readonly leads: Set<Site>,
  ) {
    this.first = definitions.map(() => 0);
    this.chains = definitions.map((site) => new Int32Array(site.n));
  }

  roots(site: Site): void {
    for (let i = 0; i < site.n; i++) this.root(site);
  }

  /** What `PathWalker` does before the next row is taken. */
  protected enter(_top: number): void {}

  private root(site: Site): void {
    this.definitions.forEach((definition, i) => {
      this.first[i] = definition.taken;
    });
    this.push(site, 1);
    const { sites, rows, notes, noteAt } = this;
    while (sites.length > 0) {
      const top = sites.length - 1;
      this.enter(top);
      const next = sites[top]!;
      const note = notes[top];
      const at = note === undefined ? 0 : noteAt[top]!++;
      if (note !== undefined && note.length > 0) note[at] = next.taken;
      if (--rows[top]! === 0) {
        sites.pop();
        rows.pop();
        notes.pop();
        noteAt.pop();
      }
      if (note === COMPLETE) this.checkKeys(next, at);
      else if (note === ENTRIES) {
        this.push(next.inside[1], 1, next.children![1], at);
        this.push(next.inside[0], 1, next.children![0], at);
      } else this.visit(next);
    }
  }

  protected push(site: Site | undefined, rows: number, note?: Int32Array, at = 0): void {
    if (site === undefined || rows === 0 || (note === undefined && !this.leads.has(site))) return;
    this.sites.push(site);
    this.rows.push(rows);
    this.notes.push(note);
    this.noteAt.push(at);
  }

  private checkKeys(site: Site, row: number): void {
    const keySite = site.inside[0]!;
    const rows = site.children?.[0];
    const start = this.startOf(site, row);
    const count = (site.data as Int32Array)[row]!;
    const rowAt = (i: number): number => (rows === undefined ? start + i : rows[start + i]!);
    const error = duplicateKey(keySite, count, rowAt);
    if (error !== undefined) throw error;
  }

  /** The first item or entry of a row. */
  private startOf(site: Site, row: number): number {
    if (site.children === undefined && site.type.code !== T.MAP) return 0;
    if (site.type.code === T.ARRAY) return row * site.type.size;
    let starts = this.starts.get(site);
    if (starts === undefined) {
      const lengths = site.data as Int32Array;
      starts = new Float64Array(site.n);
      for (let i = 1; i < site.n; i++) starts[i] = starts[i - 1]! + lengths[i - 1]!;
      this.starts.set(site, starts);
    }
    return starts[row]!;
  }

  /** Takes the next row of a site; follows options, unnamed unions, logical types, extensions and definitions in a chain. */
  private visit(start: Site): void {
    let site = start;
    this.chain++;
    for (;;) {
      if (!this.leads.has(site)) {
        // A definition without references, or a part of one: its rows are taken with it.
        site.taken++;
        return;
      }
      const row = site.taken++;
      const { type, data, inside, children } = site;
      switch (type.code) {
        case T.OPTION:
          if ((data as Uint8Array)[row] === 0) return;
          site = inside[0]!;
          continue;
        case T.LOGICAL:
        case T.EXTENSION:
          site = inside[0]!;
          continue;
        case T.UNION: {
          const next = inside[data === undefined ? 0 : ((data as Int32Array)[row] as number)]!;
          if (type.named) {
            this.push(next, 1);
            return;
          }
          site = next;
          continue;
        }
        case T.DEF:
        case T.SHARED: {
          const definition = this.definitions[type.index]!;
          const v = type.code === T.SHARED ? (data as Int32Array)[row]! : 0;
          if (v > 0) {
            const target = v - 1;
            const begun = target < definition.taken && target >= this.first[type.index]!;
            if (!begun || this.chains[type.index]![target] === this.chain) {
              throw fault("bad_reference", site.places![row] ?? site.places![0]!);
            }
            site.targets![row] = target;
            return;
          }
          site.targets![row] = definition.taken;
          this.chains[type.index]![definition.taken] = this.chain;
          site = definition;
          continue;
        }
        case T.LIST:
          this.push(inside[0], (data as Int32Array)[row]!, children?.[0], this.startOf(site, row));
          return;
        case T.ARRAY:
          this.push(inside[0], type.size, children?.[0], this.startOf(site, row));
          return;
        case T.MAP: {
          if (isCompared(type.key)) this.push(site, 1, COMPLETE, row);
          let entry = this.entries.get(site);
          if (entry === undefined) {
            entry = new Site({ code: T.TUPLE, items: [] }, inside[0]!.n, site.start);
            entry.inside = inside;
            entry.children = children;
            this.entries.set(site, entry);
            this.leads.add(entry);
          }
          this.push(entry, (data as Int32Array)[row]!, children && ENTRIES, this.startOf(site, row));
          return;
        }
        case T.TUPLE:
          for (let i = inside.length - 1; i >= 0; i--) this.push(inside[i], 1, children?.[i], row);
          return;
        case T.RECORD:
        case T.STRUCT: {
          if (type.form === T.FORM_ALL) {
            for (let i = inside.length - 1; i >= 0; i--) this.push(inside[i], 1, children?.[i], row);
            return;
          }
          const shape = site.shapes?.[row] ?? type.shapes[(data as Int32Array)[row]!]!;
          for (let i = shape.length - 1; i >= 0; i--) this.push(inside[shape[i]!], 1, children?.[shape[i]!], row);
          return;
        }
        default:
          return;
      }
    }
  }
}

/** Where a row is: inside which other one, by which step, and how many rows there are in all by it. */
interface Place {
  readonly around: Place | undefined;
  readonly step: (row: number) => string;
  readonly rows: number;
  text: string;
}

/** Walks the same again after a fault, and notes where it is: no fault, no cost. */
class PathWalker extends Walker {
  private readonly stack: Place[] = [];
  private current: Place | undefined = undefined;
  /** The site around each, and its number there. */
  private readonly outer = new Map<Site, readonly [site: Site, inside: number]>();

  /** The path of the fault. */
  pathOf(root: Site): string {
    for (const site of [root, ...this.definitions]) this.reset(site);
    try {
      this.roots(root);
    } catch (error) {
      if (!(error instanceof HoldallError)) throw error;
      const entry = rowOf(error);
      return `$${this.current!.text}${entry === undefined ? "" : `[${entry}]`}`;
    }
    return "$";
  }

  private reset(site: Site): void {
    site.taken = 0;
    site.inside.forEach((each, i) => {
      this.outer.set(each, [site, i]);
      this.reset(each);
    });
  }

  protected override push(site: Site | undefined, rows: number, note?: Int32Array, at = 0): void {
    const before = this.sites.length;
    super.push(site, rows, note, at);
    if (this.sites.length === before) return;
    const step = note === COMPLETE ? () => "" : this.stepTo(site!);
    this.stack.push({ around: this.current, step, rows, text: "" });
  }

  protected override enter(top: number): void {
    const place = this.stack[top]!;
    const left = this.rows[top]!;
    // The place is shared by its rows, each entered after everything in the one before.
    this.current = { ...place, text: `${place.around?.text ?? ""}${place.step(place.rows - left)}` };
    if (left === 1) this.stack.pop();
  }

  /** The step to the rows of a site from those of the site around it. */
  private stepTo(site: Site): (row: number) => string {
    const found = this.outer.get(site);
    // Entries of a map have a site of their own, and the root has none around it.
    if (found === undefined) return this.current === undefined ? () => "" : (row) => `[${row}]`;
    const [{ type }, inside] = found;
    return type.code === T.MAP ? () => (inside === 0 ? ".key" : "") : (row) => stepText(type, inside, row);
  }
}
