/** Checks of values by a validator of standard-schema: zod, valibot, arktype and others (https://standardschema.dev). */

import { fieldText } from "./block/path.js";
import { HoldallError } from "./error.js";

/** What a validator says is wrong, and where. */
export interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

/** A validator of standard-schema, version 1. */
export interface Validator<Out = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Out> | Promise<Validation<Out>>;
    readonly types?: { readonly input: unknown; readonly output: Out } | undefined;
  };
}

/** What a validator returns: a value, or what is wrong. */
export type Validation<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** The value as the validator gives it back. Its first issue is an error. */
export function validated(value: unknown, validator: Validator | undefined): unknown {
  if (validator === undefined) return value;
  const result = validator["~standard"].validate(value);
  if (result instanceof Promise) throw new TypeError("the option validate needs a validator that is not asynchronous");
  if (result.issues === undefined) return result.value;
  const [issue] = result.issues;
  const steps = (issue?.path ?? []).map((step) => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "number" ? `[${key}]` : fieldText(String(key));
  });
  throw new HoldallError("custom", { path: `$${steps.join("")}`, got: issue?.message ?? "an invalid value" });
}
