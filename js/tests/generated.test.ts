/** What `holdall generate --typescript` makes: interfaces, and a function that reads them. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  CalendarDate,
  Decimal,
  dumps,
  Exact,
  Extension,
  Rational,
  Tensor,
  TimeOfDay,
  Tuple,
  Uuid,
  Variant,
} from "../src/index.js";
import { U8 } from "../src/schema/types.js";
import { type Link, readLink } from "./generated_links.js";
import { type Names, readNames } from "./generated_names.js";
import { type Rare, readRare } from "./generated_rare.js";
import { readShop, type Shop, schemaOfShop } from "./generated_shop.js";
import { readTable, type Table } from "./generated_twins.js";
import { readUsersRoot } from "./generated_users.js";

const tea = { name: "tea", inside: [], best: null };
const value = {
  orders: new Map([
    [
      7,
      {
        id: 7,
        placed: new Date(1_700_000_000_000),
        lines: [{ product: "tea", amount: 2, "unit price": new Decimal(0, 490, -2) }],
        payment: new Variant("Card", { last4: "1234", valid: Tuple.of(12, 2030) }),
      },
    ],
  ]),
  colours: [new Variant("Red", null)],
  categories: { name: "all", inside: [tea], best: tea },
  tags: new Set(["a"]),
  open: new TimeOfDay(34_200, "s"),
  since: new CalendarDate(10_956),
  logo: Uint8Array.of(1, 2),
  key: new Uuid(new Uint8Array(16)),
  type: null,
  scores: [0.5, 1.5, new Exact("f64", 2)],
};

test("a message is read as the generated interface", () => {
  const shop: Shop = readShop(dumps(value));
  expect(shop.orders.get(7)?.lines[0]?.amount).toBe(2);
  const payment = shop.orders.get(7)!.payment;
  expect(payment.name === "Card" && payment.value.last4).toBe("1234");
  expect(shop.categories.best?.name).toBe("tea");
  expect(shop.type).toBe(null);
});

test("what was read goes round", () => {
  const shop = readShop(dumps(value));
  expect(readShop(dumps(shop))).toEqual(shop);
});

test("types have other names than the code uses", () => {
  const place = { name: "mast", at: { x: { n: -3 }, y: 4 } };
  const names: Names = {
    vec: { a: [1, 2] },
    option: { a: null },
    string: { a: "s" },
    schema: { a: 5 },
    map: { a: { m: 1 } },
    decimal: { a: new Decimal(0, 5, -1) },
    tuple: { a: Tuple.of(1, 2) as Names["tuple"]["a"] },
    self: { a: true },
    int: 6,
    float: 0.5,
    str: "t",
    state: new Variant("Self", null) as Names["state"],
    places: new Set([place]),
    date: new CalendarDate(10_956),
    owners: new Map([[place, "Ada"]]),
  };
  const read = readNames(dumps(names));
  expect(read).toEqual(names);
  expect(readNames(dumps(read))).toEqual(names);
});

test("types of one name go round", () => {
  const table: Table = {
    paid: [new Variant("Cash", null), new Variant("Card", { last4: "1234" })] as Table["paid"],
    dealt: [new Variant("Card", { suit: "hearts", rank: 7 }), new Variant("None", null)] as Table["dealt"],
    points: [{ x: 5 }],
    verses: [{ y: "Arma virumque cano" }],
  };
  expect(readTable(dumps(table))).toEqual(table);
});

test("a root that is a definition goes round", () => {
  const inner: Link = { title: "inner", weight: 0.5, next: null, others: [] };
  const link: Link = { title: "outer", weight: null, next: inner, others: [inner] };
  expect(readLink(dumps(link))).toEqual(link);
});

test("tensors and unions go round", () => {
  const rare: Rare = {
    amounts: [1, 2.5],
    key: Uint8Array.of(1, 2, 3, 4, 5),
    share: new Rational(1, 3),
    kinds: [new Variant("B", 5), new Variant("A", null)] as Rare["kinds"],
    waiting: new Extension("py.deque", Tuple.of([1, 2], null)),
    row: Float32Array.of(0.5, 1.5),
    grid: new Tensor({ code: U8 }, [2, 1], Uint8Array.of(1, 2)),
    document: ["a", []],
    words: [1, "one"],
    codes: new Set([1, "one"]),
    places: new Map([[0.5, "half"]]),
    nothing: new Tuple<never>(),
  };
  const read = readRare(dumps(rare));
  expect(read.row).toEqual(rare.row);
  expect(readRare(dumps(read))).toEqual(read);
});

test("types generated from data read them and go round", () => {
  const path = new URL("../../crates/holdall-cli/tests/generated/users.json", import.meta.url);
  const users = JSON.parse(readFileSync(path, "utf8"));
  const read = readUsersRoot(dumps(users));
  expect(read.map((user) => [user["home town"].name, user.age])).toEqual([
    ["Oslo", undefined],
    ["Rome", 5],
  ]);
  expect(readUsersRoot(dumps(read))).toEqual(read);
});

test("data that do not fit are an error with their path", () => {
  expect(() => readShop(dumps({ ...value, scores: [1.5] }))).toThrow("$.scores");
});

test("the schema has records in place of structs", () => {
  expect(schemaOfShop.text).toContain("categories: #0");
  expect(schemaOfShop.text).not.toContain("struct");
});
