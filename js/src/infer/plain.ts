/** Finds values that cannot fail to be written, before they are shredded. */

import { registrationOf } from "../registry.js";

/** Larger or deeper values are not walked. They may repeat objects without end. */
const MOST_OBJECTS = 4096;
const DEEPEST = 64;

/** Whether a value has scalars, arrays, plain objects and dates alone: a shredder takes all of these. */
export function isPlain(value: unknown): boolean {
  return new Walk().isPlain(value, 0);
}

class Walk {
  private objects = 0;

  isPlain(value: unknown, depth: number): boolean {
    switch (typeof value) {
      case "function":
      case "symbol":
        return false;
      case "object":
        if (value === null) return true;
        if (depth === DEEPEST || this.objects++ === MOST_OBJECTS) return false;
        return this.isPlainObject(value, depth + 1);
    }
    return true;
  }

  private isPlainObject(object: object, depth: number): boolean {
    const prototype = Object.getPrototypeOf(object);
    if (prototype === Object.prototype || prototype === null) {
      for (const key in object) {
        if (!this.isPlain((object as { [key: string]: unknown })[key], depth)) return false;
      }
      return true;
    }
    if (prototype === Array.prototype) {
      for (const item of object as unknown[]) if (!this.isPlain(item, depth)) return false;
      return true;
    }
    return prototype === Date.prototype && registrationOf(prototype) === undefined;
  }
}
