/** What `holdall generate --typescript` makes: interfaces, and a function that reads them. */

import { expect, test } from "vitest";
import { CalendarDate, Decimal, dumps, Exact, TimeOfDay, Tuple, Uuid, Variant } from "../src/index.js";
import { readShop, type Shop, schemaOfShop } from "./generated_shop.js";

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

test("data that do not fit are an error with their path", () => {
  expect(() => readShop(dumps({ ...value, scores: [1.5] }))).toThrow("$.scores");
});

test("the schema has records in place of structs", () => {
  expect(schemaOfShop.text).toContain("categories: #0");
  expect(schemaOfShop.text).not.toContain("struct");
});
