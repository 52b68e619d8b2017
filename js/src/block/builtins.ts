/** Values that JavaScript alone has, from the structs and extensions as which they are written (`js.TypeError`, `js.undefined`). */

const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];

/** The value of an extension, or NONE if it has no form in JavaScript. */
export const NONE: unique symbol = Symbol("holdall.none");

export function builtinExtension(name: string, value: unknown): unknown {
  switch (name) {
    case "js.undefined":
      return value === null ? undefined : NONE;
    case "js.empty_object":
      return value === null ? {} : NONE;
    case "js.invalid_date":
      return value === null ? new Date(Number.NaN) : NONE;
    case "js.DataView":
      return value instanceof Uint8Array ? new DataView(value.slice().buffer) : NONE;
    case "js.Uint8ClampedArray":
      return value instanceof Uint8Array ? Uint8ClampedArray.from(value) : NONE;
    default:
      return NONE;
  }
}

/** The builtin error of a struct; undefined if there is none of that name. Its fields may still be absent. */
export function builtinError(name: string, fields: { readonly [key: string]: unknown }): Error | undefined {
  const type = ERRORS.find((each) => name === `js.${each.name}`);
  if (type === undefined) return undefined;
  // With a message, its property is there, and is not enumerable.
  const error: Error =
    type === AggregateError ? new AggregateError([], "message") : new (type as ErrorConstructor)("message");
  for (const key of Object.keys(fields)) {
    const enumerable = !["message", "name", "cause", "errors"].includes(key);
    Object.defineProperty(error, key, { value: fields[key], enumerable, configurable: true, writable: true });
  }
  return error;
}
