/** The objects of Temporal, where the platform has it. */

import { IntRows } from "../column/write/ints.js";
import * as kinds from "../schema/logical.js";
import * as codes from "../schema/types.js";
import type { Form } from "./forms.js";
import { logical } from "./logical_rows.js";
import { refused, type Shredder } from "./shredder.js";
import type { Site } from "./sites.js";

/** The parts of Temporal's classes that are used here. */
interface Plain {
  readonly calendarId: string;
  readonly epochNanoseconds: bigint;
  readonly timeZoneId: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly microsecond: number;
  readonly nanosecond: number;
  toString(options?: object): string;
}

/** Those of a duration. */
interface Amounts {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
  readonly microseconds: number;
  readonly nanoseconds: number;
}

const NS_PER_MINUTE = 60_000_000_000n;
const NS_PER_DAY = 1440n * NS_PER_MINUTE;

/** The Gregorian calendar repeats after 400 years: the first days of Temporal are before the first day of Date. */
const CYCLE = { years: 400, days: 146_097n };

function daysOf(value: Plain): bigint {
  const text = value.toString({ calendarName: "never" }).replace(/T.*/, "");
  const [, sign, year, month, day] = /^([-+]?)(\d+)-(\d\d)-(\d\d)/.exec(text)!;
  const isBefore = sign === "-";
  const date = new Date(0);
  date.setUTCFullYear(isBefore ? CYCLE.years - Number(year) : Number(year), Number(month) - 1, Number(day));
  return BigInt(date.getTime()) / 86_400_000n - (isBefore ? CYCLE.days : 0n);
}

function timeOf(value: Plain): bigint {
  const seconds = (value.hour * 60 + value.minute) * 60 + value.second;
  return (
    BigInt(seconds) * 1_000_000_000n +
    BigInt(value.millisecond * 1_000_000 + value.microsecond * 1000 + value.nanosecond)
  );
}

function whole(kind: number, parameters: string, number: (value: Plain) => bigint): Form<Plain> {
  const what = logical(kind, parameters);
  return {
    write(shredder: Shredder, site: Site, value: Plain) {
      if (value.calendarId !== undefined && value.calendarId !== "iso8601") {
        throw refused(value, `a date of the calendar ${value.calendarId}`);
      }
      shredder.int(shredder.row(site, what).inside[0]!, number(value));
    },
  };
}

/** An extension around the text in the format of RFC 9557. */
function text(name: string): Form<Plain> {
  return {
    write(shredder, site, value) {
      const what = { kind: "extension", key: `e:js.${name}`, name: `js.${name}` } as const;
      shredder.text(shredder.row(site, what).inside[0]!, value.toString());
    },
  };
}

/** A calendar unit or days have no fixed length, and 90 minutes are another duration than 1.5 hours: these stay text. */
const DURATION: Form<Amounts> = {
  write(shredder, site, value) {
    const { years, months, weeks, days, hours, minutes } = value;
    const ns = (amount: number, each: bigint): bigint => BigInt(amount) * each;
    const below =
      ns(value.seconds, 1_000_000_000n) +
      ns(value.milliseconds, 1_000_000n) +
      ns(value.microseconds, 1000n) +
      BigInt(value.nanoseconds);
    const isBalanced = Math.abs(minutes) < 60 && below < NS_PER_MINUTE && below > -NS_PER_MINUTE;
    if (!isBalanced || years || months || weeks || days) return DURATION_TEXT.write(shredder, site, value as never);
    const total = ns(hours, 60n * NS_PER_MINUTE) + ns(minutes, NS_PER_MINUTE) + below;
    shredder.int(shredder.row(site, logical(kinds.DURATION, "03")).inside[0]!, total);
  },
};

const DURATION_TEXT = text("Temporal.Duration");

const FORMS: { readonly [tag: string]: Form<Plain> } = {
  "Temporal.Instant": whole(kinds.TIMESTAMP, "0301", (value) => value.epochNanoseconds),
  "Temporal.PlainDateTime": whole(kinds.TIMESTAMP, "0300", (value) => daysOf(value) * NS_PER_DAY + timeOf(value)),
  "Temporal.PlainDate": whole(kinds.DATE, "", daysOf),
  "Temporal.PlainTime": whole(kinds.TIME, "03", timeOf),
  "Temporal.ZonedDateTime": {
    write(shredder, site, value) {
      if (value.calendarId !== "iso8601") throw refused(value, `a date of the calendar ${value.calendarId}`);
      const { epochNanoseconds, timeZoneId } = value;
      const offset = /^([-+])(\d\d):(\d\d)$/.exec(timeZoneId);
      const what = logical(kinds.TIMESTAMP, offset === null ? "0303" : "0302");
      const storage = shredder.row(site, what).inside[0]!;
      const [number, place] = shredder.row(storage, { kind: "tuple", key: "t2", size: 2 }).inside;
      shredder.int(number!, epochNanoseconds);
      if (offset === null) return shredder.text(place!, timeZoneId);
      const seconds = Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3])) * 60;
      shredder.exact(place!, "i32", codes.I32, 0, IntRows).push(seconds);
    },
  },
  "Temporal.Duration": DURATION as never,
  "Temporal.PlainYearMonth": text("Temporal.PlainYearMonth"),
  "Temporal.PlainMonthDay": text("Temporal.PlainMonthDay"),
};

/** The form of a class of Temporal, by its tag. */
export function temporalForm(tag: string): Form<Plain> | undefined {
  return Object.hasOwn(FORMS, tag) ? FORMS[tag] : undefined;
}
