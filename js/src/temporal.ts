/** Times of data as objects of Temporal: `loads(bytes, { temporal: temporal() })`. */

import { HoldallError } from "./error.js";
import type { ReadTemporal } from "./options.js";
import { CalendarDate, Duration, Extension, TimeOfDay, Timestamp, type Unit } from "./values.js";

/** The parts of Temporal that are used here: of the platform, or of a polyfill. */
export interface TemporalNamespace {
  readonly Instant: new (epochNanoseconds: bigint) => object;
  readonly ZonedDateTime: new (epochNanoseconds: bigint, timeZone: string) => object;
  readonly PlainDate: new (year: number, month: number, day: number) => { add(amount: { days: number }): object };
  readonly PlainTime: new () => { add(amount: { nanoseconds: number }): object };
  readonly PlainDateTime: new (
    year: number,
    month: number,
    day: number,
  ) => { add(amount: { days: number; nanoseconds: number }): object };
  readonly Duration: { new (...amounts: number[]): object; from(text: string): object };
  readonly PlainYearMonth: { from(text: string): object };
  readonly PlainMonthDay: { from(text: string): object };
}

const NS: { readonly [unit in Unit]: bigint } = { s: 1_000_000_000n, ms: 1_000_000n, us: 1000n, ns: 1n };
const NS_PER_DAY = 86_400_000_000_000n;

/**
 * The option `temporal` of readers. Without Temporal in the platform, pass that of a polyfill.
 *
 * | type | object |
 * |---|---|
 * | timestamp of utc | `Instant`; a `Date` stays a `Date` |
 * | timestamp of local | `PlainDateTime` |
 * | timestamp of zone, or of an offset in minutes | `ZonedDateTime` |
 * | date, time, duration | `PlainDate`, `PlainTime`, `Duration` of hours and less |
 *
 * What Temporal cannot hold stays an object of this package: a time beyond its range, a zone that it does not know, an offset
 * with seconds, a time of day of 24 hours or more.
 */
export function temporal(
  Temporal: TemporalNamespace | undefined = (globalThis as { Temporal?: TemporalNamespace }).Temporal,
): ReadTemporal {
  if (Temporal === undefined) {
    throw new HoldallError("unsupported", {
      got: "a platform without Temporal",
      help: "pass that of a polyfill: temporal(Temporal)",
    });
  }
  return (value) => {
    try {
      return objectOf(Temporal, value) ?? value;
    } catch (error) {
      if (error instanceof RangeError) return value;
      throw error;
    }
  };
}

function objectOf(Temporal: TemporalNamespace, value: unknown): object | undefined {
  if (value instanceof Timestamp) return timestamp(Temporal, value);
  if (value instanceof CalendarDate) return new Temporal.PlainDate(1970, 1, 1).add({ days: Number(value.days) });
  if (value instanceof TimeOfDay) {
    const ns = nanoseconds(value);
    if (ns < 0n || ns >= NS_PER_DAY) return undefined;
    return new Temporal.PlainTime().add({ nanoseconds: Number(ns) });
  }
  if (value instanceof Duration) {
    let left = nanoseconds(value);
    const amounts = [1000n, 1000n, 1000n, 60n, 60n].map((each) => {
      const amount = left % each;
      left /= each;
      return Number(amount);
    });
    const [ns, us, ms, seconds, minutes] = amounts as [number, number, number, number, number];
    return new Temporal.Duration(0, 0, 0, 0, Number(left), minutes, seconds, ms, us, ns);
  }
  const name = value instanceof Extension && /^js\.Temporal\.(Duration|PlainYearMonth|PlainMonthDay)$/.exec(value.name);
  if (!name || typeof (value as Extension).value !== "string") return undefined;
  return Temporal[name[1] as "Duration"].from((value as Extension<string>).value);
}

function nanoseconds({ value, unit }: TimeOfDay | Timestamp | Duration): bigint {
  return BigInt(value) * NS[unit];
}

function timestamp(Temporal: TemporalNamespace, value: Timestamp): object | undefined {
  const ns = nanoseconds(value);
  const { place, zone } = value;
  if (zone === "utc") return new Temporal.Instant(ns);
  if (zone === "zone") return new Temporal.ZonedDateTime(ns, place as string);
  if (zone === "local") {
    // An Instant does not have the first and the last day of PlainDateTime.
    const amount = { days: Number(ns / NS_PER_DAY), nanoseconds: Number(ns % NS_PER_DAY) };
    return new Temporal.PlainDateTime(1970, 1, 1).add(amount);
  }
  const minutes = Math.abs(place as number) / 60;
  if (!Number.isInteger(minutes) || minutes >= 1440) return undefined;
  const two = (amount: number): string => String(amount).padStart(2, "0");
  const sign = (place as number) < 0 ? "-" : "+";
  return new Temporal.ZonedDateTime(ns, `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`);
}
