/** The objects of Temporal, where the platform has it. */

import * as kinds from "../schema/logical.js";
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

const NS_PER_DAY = 86_400_000_000_000n;

function daysOf(value: Plain): bigint {
  const text = value.toString({ calendarName: "never" }).replace(/T.*/, "");
  const [, sign, year, month, day] = /^([-+]?)(\d+)-(\d\d)-(\d\d)/.exec(text)!;
  const date = new Date(0);
  date.setUTCFullYear(Number(year) * (sign === "-" ? -1 : 1), Number(month) - 1, Number(day));
  return BigInt(date.getTime()) / 86_400_000n;
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

const FORMS: { readonly [tag: string]: Form<Plain> } = {
  "Temporal.Instant": whole(kinds.TIMESTAMP, "0301", (value) => value.epochNanoseconds),
  "Temporal.PlainDateTime": whole(kinds.TIMESTAMP, "0300", (value) => daysOf(value) * NS_PER_DAY + timeOf(value)),
  "Temporal.PlainDate": whole(kinds.DATE, "", daysOf),
  "Temporal.PlainTime": whole(kinds.TIME, "03", timeOf),
  "Temporal.ZonedDateTime": {
    write(shredder, site, value) {
      if (value.calendarId !== "iso8601") throw refused(value, `a date of the calendar ${value.calendarId}`);
      const storage = shredder.row(site, logical(kinds.TIMESTAMP, "0303")).inside[0]!;
      const [number, zone] = shredder.row(storage, { kind: "tuple", key: "t2", size: 2 }).inside;
      shredder.int(number!, value.epochNanoseconds);
      shredder.text(zone!, value.timeZoneId);
    },
  },
  "Temporal.Duration": text("Temporal.Duration"),
  "Temporal.PlainYearMonth": text("Temporal.PlainYearMonth"),
  "Temporal.PlainMonthDay": text("Temporal.PlainMonthDay"),
};

/** The form of a class of Temporal, by its tag. */
export function temporalForm(tag: string): Form<Plain> | undefined {
  return Object.hasOwn(FORMS, tag) ? FORMS[tag] : undefined;
}
