/** Objects of Temporal are the logical types of times, with the bytes of the reference writer, and are read back on request. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import {
  CalendarDate,
  Decoder,
  Duration,
  dumps,
  Extension,
  loads,
  open,
  schemaOf,
  schemaText,
  TimeOfDay,
  Timestamp,
} from "../src/index.js";
import { Schema } from "../src/schema.js";
import { Reader, Writer } from "../src/stream.js";
import { temporal } from "../src/temporal.js";

const PYTHON = process.env["HOLDALL_PYTHON"];
const read = { temporal: temporal(Temporal) };

const INSTANT = Temporal.Instant.from("1969-12-31T23:59:59.999999999Z");
const MINUTE = 60_000_000_000;

type Tagged = [string, ...unknown[]];
const int = (value: number | bigint): Tagged => ["int", String(value)];
const timestamp = (parameters: string, storage: Tagged): Tagged => ["logical", "timestamp", parameters, storage];
const zoned = (value: number, zone: string) =>
  timestamp("0303", ["tuple", [int(value), ["string", zone]]] as unknown as Tagged);
const offset = (value: number, seconds: number) =>
  timestamp("0302", ["tuple", [int(value), ["i32", String(seconds)]]] as unknown as Tagged);
const duration = (ns: number | bigint): Tagged => ["logical", "duration", "03", int(ns)];
const text = (name: string, value: string): Tagged => ["extension", `js.Temporal.${name}`, ["string", value]];

/** An object, what it is in data, and what it is read as by default. */
const OBJECTS: [object, Tagged, unknown][] = [
  [INSTANT, timestamp("0301", int(-1)), new Timestamp(-1, "ns", "utc")],
  [
    INSTANT.toZonedDateTimeISO("Europe/Berlin"),
    zoned(-1, "Europe/Berlin"),
    new Timestamp(-1, "ns", "zone", "Europe/Berlin"),
  ],
  [INSTANT.toZonedDateTimeISO("UTC"), zoned(-1, "UTC"), new Timestamp(-1, "ns", "zone", "UTC")],
  [INSTANT.toZonedDateTimeISO("+05:30"), offset(-1, 19_800), new Timestamp(-1, "ns", "offset", 19_800)],
  [INSTANT.toZonedDateTimeISO("-00:01"), offset(-1, -60), new Timestamp(-1, "ns", "offset", -60)],
  [
    Temporal.PlainDateTime.from("1970-01-02T00:00:00.000000001"),
    timestamp("0300", int(86_400_000_000_001)),
    new Timestamp(86_400_000_000_001, "ns", "local"),
  ],
  [Temporal.PlainDate.from("1969-12-31"), ["logical", "date", "", int(-1)], new CalendarDate(-1)],
  [Temporal.PlainDate.from("-000001-01-01"), ["logical", "date", "", int(-719_893)], new CalendarDate(-719_893)],
  [
    Temporal.PlainDate.from("-271821-04-19"),
    ["logical", "date", "", int(-100_000_001)],
    new CalendarDate(-100_000_001),
  ],
  [Temporal.PlainDate.from("+275760-09-13"), ["logical", "date", "", int(100_000_000)], new CalendarDate(100_000_000)],
  [
    Temporal.PlainTime.from("00:00:01.000000002"),
    ["logical", "time", "03", int(1_000_000_002)],
    new TimeOfDay(1_000_000_002, "ns"),
  ],
  [Temporal.Duration.from("PT0S"), duration(0), new Duration(0, "ns")],
  [Temporal.Duration.from("-PT2H3M4.5S"), duration(-123.075 * MINUTE), new Duration(-123.075 * MINUTE, "ns")],
  [Temporal.Duration.from("PT100H0.000000001S"), duration(6000 * MINUTE + 1), new Duration(6000 * MINUTE + 1, "ns")],
  [Temporal.Duration.from("PT90M"), text("Duration", "PT90M"), new Extension("js.Temporal.Duration", "PT90M")],
  [Temporal.Duration.from("PT60S"), text("Duration", "PT60S"), new Extension("js.Temporal.Duration", "PT60S")],
  [Temporal.Duration.from("P1DT2H"), text("Duration", "P1DT2H"), new Extension("js.Temporal.Duration", "P1DT2H")],
  [
    Temporal.PlainYearMonth.from("2020-02"),
    text("PlainYearMonth", "2020-02"),
    new Extension("js.Temporal.PlainYearMonth", "2020-02"),
  ],
  [
    Temporal.PlainMonthDay.from("02-29"),
    text("PlainMonthDay", "02-29"),
    new Extension("js.Temporal.PlainMonthDay", "02-29"),
  ],
];

function same(found: unknown, expected: object): void {
  expect(String(found)).toBe(String(expected));
  expect(Object.prototype.toString.call(found)).toBe(Object.prototype.toString.call(expected));
}

describe.each(OBJECTS)("%s", (object, _, byDefault) => {
  const bytes = dumps(object);

  test("is a class of this package by default, which is written as the same bytes", () => {
    expect(loads(bytes)).toEqual(byDefault);
    expect(dumps(loads(bytes))).toEqual(bytes);
  });

  test("is read back with the option temporal", () => {
    same(loads(bytes, read), object);
    same(new Decoder(read).loads(dumps({ a: [object] })), { a: [object] });
    const rows = [{ at: object }, { at: object }, { at: object }];
    for (const row of new Decoder(read).loads(dumps(rows)) as typeof rows) same(row.at, object);
    const view = open(dumps(rows), read);
    same(view.column("at")[1], object);
    same(view.rows.at(2)!["at"], object);
    same((loads(dumps(rows), { ...read, schema: Schema.of(dumps(rows)) }) as typeof rows)[1]!.at, object);
  });
});

test.skipIf(PYTHON === undefined)("the bytes are those of the reference writer", () => {
  const script = `
import json, sys
from holdall_reference.writer import encode_message
for line in sys.stdin:
    print(encode_message(json.loads(line), "balanced").hex())
`;
  const lines = execFileSync(PYTHON!, ["-c", script], {
    env: { ...process.env, PYTHONPATH: fileURLToPath(new URL("../../spec/reference", import.meta.url)) },
    input: OBJECTS.map(([, tagged]) => `${JSON.stringify(tagged)}\n`).join(""),
    encoding: "utf8",
  });
  expect(OBJECTS.map(([object]) => Buffer.from(dumps(object)).toString("hex"))).toEqual(lines.trim().split("\n"));
});

test("any time is the same after writing and reading", () => {
  const ns = fc.bigInt({ min: -8_640_000_000_000_000_000_000n, max: 8_640_000_000_000_000_000_000n });
  const zone = fc.constantFrom("UTC", "America/St_Johns", "Asia/Kolkata", "+01:00", "-23:59", "+00:00");
  const amount = fc.integer({ min: 0, max: 3000 });
  fc.assert(
    fc.property(ns, zone, fc.tuple(amount, amount, amount, amount, amount), (value, place, parts) => {
      const instant = Temporal.Instant.fromEpochNanoseconds(value);
      const at = instant.toZonedDateTimeISO(place);
      const [hours, minutes, seconds, milliseconds, nanoseconds] = parts;
      const length = Temporal.Duration.from({ hours, minutes, seconds, milliseconds, nanoseconds });
      const objects = [instant, at, length, length.negated(), length.round("hour")];
      const plain = instant.toZonedDateTimeISO("UTC");
      objects.push(plain.toPlainDateTime() as never, plain.toPlainDate() as never, plain.toPlainTime() as never);
      const back = loads(dumps(objects), read) as object[];
      objects.forEach((object, i) => {
        same(back[i], object);
      });
    }),
  );
});

test("the first and the last time of PlainDateTime are read back", () => {
  for (const text of ["-271821-04-19T00:00:00.000000001", "+275760-09-13T23:59:59.999999999"]) {
    const time = Temporal.PlainDateTime.from(text);
    same(loads(dumps(time), read), time);
  }
});

test("times of other programs are read in their unit, and a Date stays a Date", () => {
  const read1 = (value: unknown) => String(loads(dumps(value), read));
  expect(read1(new Timestamp(1_500_000, "us", "utc"))).toBe("1970-01-01T00:00:01.5Z");
  expect(read1(new Timestamp(1, "s", "local"))).toBe("1970-01-01T00:00:01");
  expect(read1(new TimeOfDay(1500, "ms"))).toBe("00:00:01.5");
  expect(read1(new Duration(90, "s"))).toBe("PT1M30S");
  expect(loads(dumps(new Date(5)), read)).toEqual(new Date(5));
});

test("what Temporal cannot hold stays an object of this package", () => {
  for (const value of [
    new Timestamp(2n ** 80n, "ns", "utc"),
    new Timestamp(2n ** 80n, "s", "local"),
    new Timestamp(0, "ns", "offset", 61),
    new Timestamp(0, "ns", "offset", 86_400),
    new Timestamp(0, "ns", "zone", "Nowhere/Land"),
    new CalendarDate(2 ** 40),
    new TimeOfDay(86_400, "s"),
    new TimeOfDay(-1, "ns"),
    new Duration(2n ** 90n, "s"),
    new Extension("js.Temporal.Duration", "one day"),
    new Extension("js.Temporal.Duration", 1),
    new Extension("js.Temporal.Instant", "1970-01-01T00:00Z"),
  ]) {
    expect(loads(dumps([value]), read)).toEqual([value]);
  }
});

test("streams are read with the option", async () => {
  const chunks: Uint8Array[] = [];
  const writer = new Writer(chunks);
  await writer.write({ at: INSTANT });
  await writer.close();
  for await (const value of new Reader(chunks, read)) same((value as { at: object }).at, INSTANT);
});

test("a date of another calendar is refused, with its place", () => {
  const date = Temporal.PlainDate.from("2020-01-01").withCalendar("gregory");
  for (const value of [date, date.toPlainDateTime(), date.toZonedDateTime("UTC")]) {
    expect(() => dumps({ date: [value] })).toThrow(
      expect.objectContaining({ code: "unsupported_value", path: "$.date[0]" }),
    );
  }
});

test("schemas name the logical types", () => {
  const schema = (value: object) => schemaText(schemaOf(dumps(value)));
  expect(schema(INSTANT)).toBe("timestamp[ns, utc](int)");
  expect(schema(INSTANT.toZonedDateTimeISO("UTC"))).toBe("timestamp[ns, zone](tuple(int, string))");
  expect(schema(INSTANT.toZonedDateTimeISO("+01:00"))).toBe("timestamp[ns, offset](tuple(int, i32))");
  expect(schema(Temporal.Duration.from("PT1H"))).toBe("duration[ns](int)");
});

test.skipIf("Temporal" in globalThis)("a platform without Temporal needs a polyfill", () => {
  expect(() => temporal()).toThrow(expect.objectContaining({ code: "unsupported" }));
});
