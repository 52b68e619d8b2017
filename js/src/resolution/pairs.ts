/** Pairs of a writer's type and a reader's (F-78), and their errors. */

import { type ErrorCode, HoldallError } from "../error.js";
import { typeText } from "../schema/text.js";
import * as T from "../schema/types.js";
import type { Place } from "./places.js";

/** What a program says besides its schema. A field has the name of its struct, null for all records, and its own. */
export interface Changes {
  /** Other names under which data may have a field, in order. */
  readonly aliases?: readonly (readonly [struct: string | null, field: string, names: readonly string[]])[] | undefined;
  /** Other names of a struct in an unnamed union. */
  readonly structAliases?: { readonly [struct: string]: readonly string[] } | undefined;
  /** Other names of a variant of named unions. */
  readonly variantAliases?: { readonly [variant: string]: readonly string[] } | undefined;
  /** Variants of type null that stand for the variants that the schema lacks. */
  readonly otherVariants?: readonly string[] | undefined;
  /** What a field is in rows that lack it; of a function, what it returns for each row. */
  readonly defaults?: readonly (readonly [struct: string | null, field: string, value: unknown])[] | undefined;
  /** Fields that take any value unchanged. */
  readonly open?: readonly (readonly [struct: string | null, field: string])[] | undefined;
  /** Whether floats that a type does not hold exactly are rounded. */
  readonly round?: boolean | undefined;
  /** Whether fields that the schema lacks are skipped (default) or an error. */
  readonly unknownFields?: "skip" | "error" | undefined;
}

/** What the rows of a pair need; most are lines of F-78's table. */
export type Line =
  | "nothing"
  | "options"
  | "from_option"
  | "from_union"
  | "null"
  | "onward"
  | "some"
  | "into_union"
  | "variants"
  | "skipped"
  | "unknown"
  | "extensions"
  | "from_extension"
  | "into_extension"
  | "logicals"
  | "from_logical"
  | "into_logical"
  | "from_seconds"
  | "into_seconds"
  | "same"
  | "integers"
  | "into_float"
  | "floats"
  | "bytes"
  | "tensors"
  | "same_tensors"
  | "items"
  | "fields"
  | "into_map"
  | "maps"
  | "none";

const NUMBERS: { readonly [line: string]: number } = {
  from_option: 3,
  from_union: 4,
  into_option: 5,
  some: 5,
  into_union: 6,
  variants: 7,
  into_extension: 11,
  units: 13,
  into_seconds: 14,
  into_logical: 15,
  from_seconds: 15,
  integers: 17,
  into_float: 18,
  floats: 19,
  bytes: 20,
  tensors: 21,
  items: 22,
  maps: 25,
};

/** The rule of a pair that fits no line. */
export const NO_LINE = "F-78";
export const FIELDS_RULE = "F-79";

/** The name of a line of the table in errors. */
export function lineRule(line: string): string {
  return `F-78 line ${NUMBERS[line]}`;
}

/** A field of the reader's struct or record, and where its value comes from (F-79). */
export interface FieldPlan {
  readonly name: string;
  /** The writer's fields that may hold it, in order of preference. */
  readonly sources: readonly (readonly [name: string, pair: Pair])[];
  /** Its value in rows without these fields. */
  readonly fallback: { readonly value: unknown } | undefined;
  /** Whether a row may lack it. */
  readonly leavesOut: boolean;
}

/** A type of the writer's and one of the reader's. */
export class Pair {
  line: Line = "none";
  /** The pairs that this one needs, each with its step of the path. */
  readonly children: [step: string, pair: Pair][] = [];
  readonly parents: Pair[] = [];
  /** Whether one of the children must be readable, not all. */
  anyWillDo = false;
  /** The child whose error this pair reports, if one readable child is enough. */
  cause: number | undefined = undefined;
  fields: FieldPlan[] = [];
  /** The reader's name of each variant of the writer's. */
  variantNames: (string | undefined)[] = [];
  /** The factor and the divisor of a time's number. */
  scale: readonly [up: bigint, down: bigint] = [1n, 1n];
  /** The fields of a time's seconds and nanoseconds. */
  seconds: readonly [string, string] = ["", ""];
  /** The payloads of w's variant Some and of r's own: if they can be read, it is that one. */
  ownSome: Pair | undefined = undefined;
  /** The error of a pair that is unreadable whatever its children, and the rule that it names. */
  code: ErrorCode | undefined = undefined;
  rule = "";
  failed = false;

  constructor(
    readonly writer: Place,
    readonly reader: Place,
    /** The numbers of the reader's types on the way from the same type of the writer's. */
    readonly trail: readonly number[] = [],
  ) {}

  /** The one child. */
  get child(): Pair {
    return this.children[0]![1];
  }
}

export function pairError(code: ErrorCode, pair: Pair, path: string, rule: string): HoldallError {
  return new HoldallError(code, {
    path,
    expected: typeText(pair.reader.type),
    got: typeText(pair.writer.type),
    rule,
  });
}

/** The error of the first pair, depth first from one that fails, that fails by itself. */
export function firstError(root: Pair): HoldallError {
  interface Step {
    readonly pair: Pair;
    readonly step: string;
    readonly before: Step | undefined;
  }
  const pathOf = (end: Step): string => {
    const steps: string[] = [];
    for (let each: Step | undefined = end; each !== undefined; each = each.before) steps.push(each.step);
    return `$${steps.reverse().join("")}`;
  };
  const stack: Step[] = [{ pair: root, step: "", before: undefined }];
  const met = new Set<Pair>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { pair } = next;
    if (!pair.failed || met.has(pair)) continue;
    met.add(pair);
    if (pair.code !== undefined) return pairError(pair.code, pair, pathOf(next), pair.rule);
    let { children } = pair;
    if (pair.anyWillDo) {
      // None of several is readable, so no single one is the cause.
      if (pair.cause === undefined) return pairError("incompatible", pair, pathOf(next), lineRule(pair.line));
      children = children.slice(pair.cause, pair.cause + 1);
    }
    for (let i = children.length - 1; i >= 0; i--) {
      const [step, child] = children[i]!;
      stack.push({ pair: child, step, before: next });
    }
  }
  throw new TypeError("a pair fails by itself or because of one inside it");
}

/** The line by which the reader's type would lead to itself. */
export function selfRule({ type }: Place): string {
  if (type.code === T.OPTION) return lineRule("into_option");
  if (type.code === T.UNION) return lineRule("into_union");
  return lineRule(type.code === T.EXTENSION ? "into_extension" : "into_logical");
}
