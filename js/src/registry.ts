/** The classes that this program allows data to name. */

/** How objects of a class are written and read. */
export interface Registration<T extends object = object> {
  /** The name in data. */
  readonly name: string;
  /** The fields to write; by default all enumerable properties of the object itself. */
  readonly fields?: readonly string[];
  /** Converts an object to the fields, or to another value, and `decode` converts it back. */
  readonly encode?: (value: T) => unknown;
  readonly decode?: (value: never) => T;
}

/** A class. */
// biome-ignore lint/suspicious/noExplicitAny: a constructor takes whatever it takes
export type Class<T extends object = object> = abstract new (...args: any[]) => T;

const byPrototype = new Map<object, Registration>();
const byName = new Map<string, { readonly class: Class; readonly registration: Registration }>();

/** Writes objects of a class as structs of a name, and reads these structs as objects of the class. */
export function register<T extends object>(type: Class<T>, registration: Registration<T>): void {
  const { name, encode, decode } = registration;
  if (typeof name !== "string" || !name.isWellFormed())
    throw new TypeError("register needs the name of the class in data");
  if ((encode === undefined) !== (decode === undefined))
    throw new TypeError("register needs both encode and decode, or none");
  const other = byName.get(name);
  if (other !== undefined && other.class !== type)
    throw new TypeError(`another class is registered as ${JSON.stringify(name)}`);
  const before = byPrototype.get(type.prototype);
  if (before !== undefined) byName.delete(before.name);
  byPrototype.set(type.prototype, registration as unknown as Registration);
  byName.set(name, { class: type, registration: registration as unknown as Registration });
}

/** The registration of the class whose prototype this is. */
export function registrationOf(prototype: object): Registration | undefined {
  return byPrototype.get(prototype);
}

/** The class that has a name in data. */
export function registeredAs(name: string): { readonly class: Class; readonly registration: Registration } | undefined {
  return byName.get(name);
}
