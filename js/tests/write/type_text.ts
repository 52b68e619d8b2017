/** Schema text (F-55), backwards: the packable types, which tagged tensors name by their text. */

import { KINDS } from "../../src/schema/logical.js";
import { type NamedType, SCALAR_NAMES, type Type } from "../../src/schema/types.js";
import { fromHex } from "../tagged.js";

export function parseType(text: string): Type {
  const tokens = text.match(/[A-Za-z0-9_]+|"(?:[^"\\]|\\.)*"|[^\s]/g)!;
  let at = 0;
  const next = () => tokens[at++]!;
  const take = (expected: string) => {
    const token = next();
    if (token !== expected) throw new Error(`expected ${expected}, got ${token} in ${text}`);
  };
  const name = () => {
    const token = next();
    return token.startsWith('"') ? (JSON.parse(token) as string) : token;
  };
  const list = <T>(end: string, item: () => T): T[] => {
    const items: T[] = [];
    while (tokens[at] !== end) {
      if (items.length > 0) take(",");
      items.push(item());
    }
    at++;
    return items;
  };
  const inside = (): Type => {
    take("(");
    const [type] = list(")", parse);
    return type!;
  };
  const parse = (): Type => {
    const word = next();
    const code = SCALAR_NAMES.indexOf(word as never);
    if (code >= 0) return { code } as Type;
    switch (word) {
      case "fixed": {
        take("(");
        const [size] = list(")", next);
        return { code: 0x14, size: Number(size) };
      }
      case "array": {
        take("(");
        const size = Number(next());
        take(",");
        const [item] = list(")", parse);
        return { code: 0x17, size, item: item! };
      }
      case "tuple":
        take("(");
        return { code: 0x18, items: list(")", parse) };
      case "record":
      case "struct": {
        const named = word === "struct" ? name() : "";
        take("{");
        const fields = list("}", (): NamedType => {
          const field = name();
          take(":");
          return { name: field, type: parse() };
        });
        return { code: word === "struct" ? 0x19 : 0x1a, name: named, fields, form: 0, shapes: [] };
      }
      case "extension": {
        const extension = name();
        return { code: 0x23, name: extension, item: inside() };
      }
      case "logical": {
        take("[");
        const digits: string[] = [];
        for (let token = next(); token !== "]"; token = next()) digits.push(token);
        const [kind, ...parameters] = fromHex(digits.join(""));
        return { code: 0x22, kind: kind!, parameters: Uint8Array.from(parameters), storage: inside() };
      }
    }
    const kind = KINDS.findIndex(([kindName]) => kindName === word);
    if (kind < 1) throw new Error(`no type ${word}`);
    const [, ...meanings] = KINDS[kind]!;
    if (meanings.length > 0) take("[");
    const texts = meanings.length > 0 ? list("]", next) : [];
    const parameters = Uint8Array.from(
      meanings.map((meaning, i) => Number(Object.keys(meaning).find((byte) => meaning[Number(byte)] === texts[i]))),
    );
    return { code: 0x22, kind, parameters, storage: inside() };
  };
  return parse();
}
