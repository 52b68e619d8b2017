/** Tagged values of the conformance vectors as values that a writer takes. */

import { Exact, type ExactType } from "../../src/exact.js";
import { KINDS } from "../../src/schema/logical.js";
import { Extension, Logical, Pairs, Record, Tensor, Tuple, UNKNOWN, Variant } from "../../src/values.js";
import { fromHex } from "../tagged.js";
import { parseType } from "./type_text.js";

export type Tagged = [string, ...unknown[]];

/** A value that no JavaScript object holds: equal keys, or keys that objects would put into another order. */
export class Unrepresentable extends Error {}

const FLOATS = ["f16", "bf16", "f32", "f64"];

export function fromTagged(tagged: Tagged): unknown {
  return new Reader(JSON.stringify(tagged).includes('["map",')).value(tagged);
}

function bytes(hex: unknown): Uint8Array {
  return fromHex(hex as string);
}

/** Sets what is inside a value of one of the package's classes, whose fields do not change otherwise. */
function fill(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A number that is written as these bits, or exactly these bits. */
function float(hex: string): unknown {
  const number = new DataView(fromHex(hex).buffer as ArrayBuffer).getFloat64(0);
  const isInt = Number.isSafeInteger(number) && !Object.is(number, -0);
  return Number.isNaN(number) || isInt ? new Exact("f64", BigInt(`0x${hex}`)) : number;
}

class Reader {
  private readonly numbered = new Map<number, unknown>();

  /** `{}` after a Map is an extension, so that it stays one: in a value with maps, an empty mapping is the one of the format. */
  constructor(private readonly hasMaps: boolean) {}

  value(tagged: Tagged, number?: number): unknown {
    const [tag, content, more] = tagged;
    if (tag === "id") return this.value(more as Tagged, content as number);
    if (tag === "ref") return this.numbered.get(content as number);
    const [made, complete] = this.make(tagged);
    if (number !== undefined) this.numbered.set(number, made);
    complete?.();
    return made;
  }

  private make(tagged: Tagged): [unknown, (() => void)?] {
    const [tag, content, more, rest] = tagged;
    switch (tag) {
      case "null":
        return [null];
      case "bool":
      case "string":
        return [content];
      case "int":
        return [Number.isSafeInteger(Number(content)) ? Number(content) : BigInt(content as string)];
      case "f64":
        return [float(content as string)];
      case "bytes":
        return [bytes(content)];
      case "fixed":
        return [new Exact("fixed", bytes(content))];
      case "list": {
        const items: unknown[] = [];
        return [items, () => items.push(...(content as Tagged[]).map((item) => this.value(item)))];
      }
      case "tuple": {
        const items = new Tuple();
        return [items, () => (content as Tagged[]).forEach((item, i) => void (items[i] = this.value(item)))];
      }
      case "array": {
        const items: unknown[] = [];
        items.length = (content as unknown[]).length;
        return [
          new Exact("array", items),
          () => (content as Tagged[]).forEach((item, i) => void (items[i] = this.value(item))),
        ];
      }
      case "record":
        if (this.hasMaps && (content as unknown[]).length === 0) return [new Pairs([]), () => {}];
        return this.mapping(content as [string, Tagged][]);
      case "map":
        return this.map(content as [Tagged, Tagged][]);
      case "struct": {
        const [fields, complete] = this.mapping(more as [string, Tagged][]);
        return [new Record(content as string, fields as object), complete];
      }
      case "variant": {
        const variant = new Variant(content as string, null as unknown);
        return [variant, () => fill(variant, "value", this.value(more as Tagged))];
      }
      case "extension": {
        const extension = new Extension(content as string, null as unknown);
        return [extension, () => fill(extension, "value", this.value(more as Tagged))];
      }
      case "logical": {
        const kind = KINDS.findIndex(([name]) => name === content);
        const number = kind > 0 ? kind : Number.parseInt(content as string, 16);
        const logical = new Logical(number, bytes(more), null as unknown);
        return [logical, () => fill(logical, "storage", this.storage(number, rest as Tagged))];
      }
      case "unknown":
        return [UNKNOWN];
      case "tensor": {
        const [, element, shape, order, elements] = tagged;
        if ((shape as string[]).some((size) => !Number.isSafeInteger(Number(size)))) throw new Unrepresentable();
        return [
          new Tensor(
            parseType(element as string),
            (shape as string[]).map(Number),
            bytes(elements),
            order as "row" | "column",
          ),
        ];
      }
    }
    const text = content as string;
    return [new Exact(tag as ExactType, FLOATS.includes(tag) ? BigInt(`0x${text}`) : BigInt(text))];
  }

  /** The storage of an ordered map is a map even if it is a mapping. */
  private storage(kind: number, tagged: Tagged): unknown {
    if (kind !== 0x0e || tagged[0] !== "record") return this.value(tagged);
    return new Pairs((tagged[1] as [string, Tagged][]).map(([key, item]) => [key, this.value(item)]));
  }

  private mapping(fields: [string, Tagged][]): [object, () => void] {
    const object: { [key: string]: unknown } = {};
    for (const [key] of fields) fill(object, key, null);
    const keys = Object.keys(object);
    if (keys.length !== fields.length || fields.some(([key], i) => keys[i] !== key)) throw new Unrepresentable();
    return [object, () => fields.forEach(([key, item]) => void fill(object, key, this.value(item)))];
  }

  private map(entries: [Tagged, Tagged][]): [unknown, () => void] {
    if (entries.length === 0) return [new Pairs([]), () => {}];
    if (entries.every(([key]) => this.plain(key)[0] === "string")) {
      return this.mapping(entries.map(([key, item]) => [this.plain(key)[1] as string, item]));
    }
    const pairs: [unknown, unknown][] = [];
    return [
      new Pairs(pairs),
      () => pairs.push(...entries.map(([key, item]): [unknown, unknown] => [this.value(key), this.value(item)])),
    ];
  }

  private plain(tagged: Tagged): Tagged {
    return tagged[0] === "id" ? this.plain(tagged[2] as Tagged) : tagged;
  }
}
