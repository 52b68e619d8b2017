/** Writing messages: `dumps`, and `Encoder`, which keeps its options. */

import { canonicalOrder } from "./infer/canonical.js";
import { KeptPlans, Plan } from "./infer/kept.js";
import { LearnedSchemas } from "./infer/learned.js";
import { Shredder, type ShredOptions } from "./infer/shredder.js";
import { type Envelope, schemaBytes, writeMessage } from "./message/write.js";

import { type WrittenSchema, writeSchema } from "./schema/write.js";

/** How hard a writer tries to make columns small. All readers read all profiles. */
export type Profile = "fast" | "balanced" | "small";

/** Limits of a writer. */
export interface EncodeLimits {
  /** The most bytes of a message: beyond, `limit_output`. */
  readonly output?: number;
  /** The most values inside each other: beyond, `limit_depth`. */
  readonly depth?: number;
}

/** The options that shredding and encoding share. */
export interface ValueOptions {
  /** `balanced` (the default) takes fewer bytes than `fast`. The bytes of both are promised; those of `small` are not. */
  readonly profile?: Profile;
  /** Whether the members of sets are in the order of the format, so that equal sets give equal bytes. */
  readonly canonical?: boolean;
  /** Whether an object in two places is written once, which cycles need. By default it is. */
  readonly references?: boolean;
  readonly limits?: EncodeLimits;
}

/** The options of `dumps` and `Encoder`. */
export interface EncodeOptions extends ValueOptions {
  /** Whether a message states its length and has a CRC-32C at its end. */
  readonly checksum?: boolean;
  /** Texts that can be read without the value. */
  readonly metadata?: Readonly<{ [key: string]: string }> | Iterable<readonly [string, string]>;
  /** What the message has in place of its schema: its fingerprint, or nothing (a bare body). */
  readonly schema?: "inline" | "fingerprint" | "none";
}

/** Values nest no deeper than this by default: getters and `encode` can return objects without end. */
const DEEPEST = 4_000_000;

/** The message of a member of a set alone (F-75). */
const PLAIN: Envelope = {
  balanced: false,
  header: "inline",
  checksum: false,
  metadata: [],
  limit: Number.POSITIVE_INFINITY,
};

/** The shredder of options. */
export function shredOptions(options: ValueOptions): ShredOptions {
  const { references = true, canonical = false, limits } = options;
  const plain: ShredOptions = { references, order: undefined, depth: limits?.depth ?? DEEPEST, copies: false };
  if (!canonical) return plain;
  // The members of sets inside members are in order, too.
  const ordered: ShredOptions = {
    ...plain,
    order: canonicalOrder((member) => {
      const shredder = new Shredder(ordered);
      shredder.take(member);
      return writeMessage(shredder, writeSchema(shredder.types.root), PLAIN);
    }),
  };
  return ordered;
}

/** Rejects an option that is none of its choices. */
export function check(option: string, given: unknown, ...choices: string[]): void {
  if (!choices.includes(given as string)) {
    throw new TypeError(`${option} must be ${choices.join(", ")}, not ${String(given)}`);
  }
}

/** Writes messages, all with the same options. */
export class Encoder {
  private readonly envelope: Envelope;
  private readonly shredding: ShredOptions;
  private readonly plans = new KeptPlans();
  /** Made with the second message. */
  private learned: LearnedSchemas | undefined;
  /** Lengths, checksums and metadata precede or follow blocks that were shredded. */
  private readonly learns: boolean;
  private messages = 0;
  private last: Uint8Array | undefined;

  constructor(options: EncodeOptions = {}) {
    const { profile = "balanced", schema = "inline", metadata = [] } = options;
    check("profile", profile, "fast", "balanced", "small");
    check("schema", schema, "inline", "fingerprint", "none");
    this.shredding = shredOptions(options);
    this.learns = !options.checksum && options.metadata === undefined && options.limits === undefined;
    this.envelope = {
      balanced: profile !== "fast",
      header: schema,
      checksum: options.checksum ?? false,
      metadata: Symbol.iterator in metadata ? [...metadata] : Object.entries(metadata),
      limit: options.limits?.output ?? Number.POSITIVE_INFINITY,
    };
  }

  /** A message of a value. */
  encode(value: unknown): Uint8Array {
    const small = this.learned?.write(value);
    if (small === undefined) return this.shred(value);
    this.last = small.schema ?? this.last;
    return small.message;
  }

  private shred(value: unknown): Uint8Array {
    const plan = this.plans.take(value);
    const shredder = plan?.shredder ?? new Shredder(this.shredding);
    if (plan === undefined) shredder.take(value);
    const schema = plan?.schema ?? writeSchema(shredder.types.root);
    const message = writeMessage(shredder, schema, this.envelope);
    const bare = this.envelope.header === "inline" ? undefined : schemaBytes(schema);
    this.last = bare ?? this.last;
    // Nothing is kept of the first message, which is mostly the only one.
    const isKept = this.messages++ > 0 && !this.learn(value, message, plan, schema, bare);
    if (!isKept || !this.plans.keep(value, plan ?? new Plan(shredder, schema))) {
      shredder.types.root.release();
    }
    return message;
  }

  /** Whether the next message of such a value is written in one walk. */
  private learn(
    value: unknown,
    message: Uint8Array,
    plan: Plan | undefined,
    schema: WrittenSchema,
    bare: Uint8Array | undefined,
  ): boolean {
    if (plan !== undefined || !this.learns || schema.definitions.length > 0) return false;
    this.learned ??= new LearnedSchemas(this.shredding.references, this.envelope.balanced);
    return this.learned.learn(value, message, schema.types, bare);
  }

  /** The schema of the last message that has none inside: a reader needs it beside a fingerprint or a bare body. */
  get schema(): Uint8Array | undefined {
    return this.last;
  }
}

/** Writes a value as a message. */
export function dumps(value: unknown, options?: EncodeOptions): Uint8Array {
  return (options === undefined ? (plain ??= new Encoder()) : new Encoder(options)).encode(value);
}

/** The encoder of `dumps` without options. */
let plain: Encoder | undefined;
