/** The results of inference (F-46, F-47): sites with their variants, row types with their rows. */

import type { FloatRows } from "../column/write/floats.js";
import { IntRows } from "../column/write/ints.js";
import { NumberRows } from "../column/write/numbers.js";
import type { Type } from "../schema/types.js";

/** What distinguishes a site's variants (F-47): the name of a scalar or the kind of a row type, with what belongs to it. */
export type Key = string;

/** The rows of a scalar variant. */
export type Rows = NumberRows | ListRows<string> | ListRows<Uint8Array>;

/** Rows that are kept as they are: texts, bytes. */
export class ListRows<T> {
  readonly rows: T[] = [];
  length = 0;

  push(row: T): void {
    this.rows[this.length++] = row;
  }

  cut(length: number): void {
    this.length = length;
    this.rows.length = length;
  }

  empty(): void {
    this.cut(0);
  }
}

/** A scalar variant of a site. */
export class ScalarVariant<R extends Rows = Rows> {
  readonly type = null;
  /** Its place in the site's list. */
  number = 0;

  constructor(
    readonly key: Key,
    /** The type's code, and the size of fixed. */
    readonly code: number,
    readonly size: number,
    readonly rows: R,
  ) {}

  get count(): number {
    return this.rows.length;
  }
}

/** A row type as a variant of a site. */
export class RowVariant {
  number = 0;
  /** How many rows of the site are rows of it. */
  count = 0;
  /** F-64: for each row of the site 0 if it is a new one, else the number of the row, plus 1. Made when one is shared. */
  references: IntRows | undefined = undefined;

  constructor(readonly type: RowType) {}

  get key(): Key {
    return this.type.key;
  }
}

export type Variant = ScalarVariant | RowVariant;

/** The fields that a row has, in its order (F-53). */
export interface Shape {
  readonly number: number;
  readonly keys: readonly string[];
  readonly fields: readonly number[];
  readonly sites: readonly Site[];
  /** Whether the rows so far had scalars alone. */
  isFlat: boolean;
}

export type Kind =
  | "list"
  | "array"
  | "tuple"
  | "record"
  | "struct"
  | "map"
  | "union"
  | "tensor"
  | "logical"
  | "extension"
  | "undecided";

/** What a row type is, besides its rows. */
export interface RowKind {
  readonly kind: Kind;
  readonly key: Key;
  /** The items of an array or tuple, the kind of a logical type. */
  readonly size?: number;
  /** Of a struct or extension. */
  readonly name?: string;
  readonly parameters?: Uint8Array;
  /** Of a tensor. */
  readonly element?: Type;
}

/** The columns of tensors but their ranks (F-76). */
export class TensorRows {
  readonly dimensions = new IntRows();
  readonly orders = new NumberRows();
  readonly elements = new ListRows<Uint8Array>();
}

/** Row types without names share one table: a table takes as long to make as several rows. */
const HAS_NAMES = new Set<Kind>(["record", "struct", "union", "undecided"]);
const NO_NAMES = new Map<string, number>();

/** A row type, with its rows in the order in which they began (F-33). */
export class RowType {
  readonly inside: Site[] = [];
  /** The numbers of the fields, or of a named union's variants. */
  readonly names: Map<string, number>;
  readonly shapes: Shape[] = [];
  /** The shapes by their keys. */
  readonly start = new Keys("");
  /** The shape of the latest row. */
  latest: Shape | undefined = undefined;
  count = 0;
  /** Lengths, or the numbers of shapes or variants; ranks. Of others none. */
  readonly numbers = new IntRows();
  readonly tensors: TensorRows | undefined;
  /** The sites of which it is a variant (F-49, F-54). */
  readonly sites: Site[] = [];
  /** Whether a row of it is repeated (F-54). */
  isShared = false;

  constructor(
    public kind: Kind,
    public key: Key,
    readonly what: RowKind,
    /** The site where it was first made. */
    readonly madeAt: Site | undefined,
    /** The depth of the sites inside (F-46). */
    readonly innerDepth: number,
    readonly isGathered: boolean,
  ) {
    this.names = HAS_NAMES.has(kind) ? new Map() : NO_NAMES;
    if (kind === "tensor") this.tensors = new TensorRows();
  }

  /** Forgets the rows, but neither fields nor shapes. */
  empty(): void {
    this.count = 0;
    this.numbers.empty();
  }

  /** Lets others have the memory of its columns and of all inside it. */
  release(): void {
    // A type without rows was released already, or has none inside.
    if (this.count === 0) return;
    this.count = 0;
    this.numbers.release();
    for (const site of this.inside) site.release();
  }

  /** The shape of these keys, if a row has had it. */
  findShape(keys: readonly string[]): Shape | undefined {
    let at: Keys | undefined = this.start;
    for (let i = 0; i < keys.length && at !== undefined; i++) at = at.after(keys[i]!);
    return at?.shape;
  }

  /** The shape of these keys, all of which are fields; it is made if need be. */
  shapeOf(keys: readonly string[]): Shape {
    let at = this.start;
    for (const key of keys) at = at.after(key) ?? at.add(key);
    let { shape } = at;
    if (shape === undefined) {
      const fields = keys.map((key) => this.names.get(key)!);
      shape = {
        number: this.shapes.length,
        keys,
        fields,
        sites: fields.map((field) => this.inside[field]!),
        isFlat: true,
      };
      this.shapes.push(shape);
      at.shape = shape;
    }
    this.latest = shape;
    return shape;
  }
}

const FEW_KEYS = 8;

/** The keys of a row up to one of them; what follows them is found as the row is walked. */
export class Keys {
  /** The shape of the rows that have no more keys. */
  shape: Shape | undefined = undefined;
  /** The first of those with one key more, which are linked; and all of them by that key, once there are many. */
  private first: Keys | undefined = undefined;
  private other: Keys | undefined = undefined;
  private all: Map<string, Keys> | undefined = undefined;
  private count = 0;

  constructor(private readonly key: string) {}

  after(key: string): Keys | undefined {
    if (this.all !== undefined) return this.all.get(key);
    let next = this.first;
    while (next !== undefined && next.key !== key) next = next.other;
    return next;
  }

  add(key: string): Keys {
    const added = new Keys(key);
    this.all?.set(key, added);
    added.other = this.first;
    this.first = added;
    if (++this.count === FEW_KEYS) {
      this.all = new Map();
      for (let each: Keys | undefined = added; each !== undefined; each = each.other) this.all.set(each.key, each);
    }
    return added;
  }
}

const MANY_VARIANTS = 16;

/** A place of values (F-46). */
export class Site {
  readonly variants: Variant[] = [];
  /** Those that take new values of a kind (F-65), by key, once there are many. */
  private byKey: Map<Key, Variant> | undefined = undefined;
  int: ScalarVariant<IntRows> | undefined = undefined;
  float: ScalarVariant<FloatRows> | undefined = undefined;
  text: ScalarVariant<ListRows<string>> | undefined = undefined;
  bool: ScalarVariant<NumberRows> | undefined = undefined;
  list: RowVariant | undefined = undefined;
  record: RowVariant | undefined = undefined;
  /** Whether each row is present, once one is null; and the number of its variant, once there are two. */
  presence: NumberRows | undefined = undefined;
  numbers: IntRows | undefined = undefined;

  constructor(
    readonly depth: number,
    /** The row type in which it was made. */
    readonly madeIn: RowType | undefined,
    /** Whether it is the storage of a logical type of F-72's table (F-74). */
    readonly isStorage: boolean,
  ) {}

  /** The rows that are not null. */
  get present(): number {
    return this.numbers?.length ?? this.variants[0]?.count ?? 0;
  }

  /** Forgets the rows of a site of one variant or none. */
  empty(): void {
    this.presence?.empty();
    const [variant] = this.variants;
    if (variant instanceof RowVariant) variant.count = 0;
    else variant?.rows.empty();
  }

  /** Lets others have the memory of all columns at this site and inside it. Recurses as deep as rows are in place, like writing. */
  release(): void {
    this.presence?.release();
    this.numbers?.release();
    for (const variant of this.variants) {
      if (variant instanceof RowVariant) {
        variant.references?.release();
        variant.type.release();
      } else if (variant.rows instanceof NumberRows) variant.rows.release();
    }
  }

  /** Whether the type of a site that had nulls, or had none, follows from the rows that it has now. */
  isUsedAlike(hadNulls: boolean): boolean {
    if ((this.presence !== undefined) !== hadNulls) return false;
    const [variant] = this.variants;
    if (variant !== undefined && variant.count === 0) return false;
    return !hadNulls || this.presence!.rows.subarray(0, this.presence!.length).includes(0);
  }

  /** Adds a null. */
  pushNull(): void {
    if (this.presence === undefined) {
      this.presence = new NumberRows();
      this.presence.pushRun(1, this.present);
    }
    this.presence.push(0);
  }

  /** Notes that a row is of a variant, before the variant gets the row. */
  mark(variant: Variant): void {
    this.presence?.push(1);
    this.numbers?.push(variant.number);
  }

  /** Notes that rows are of a variant. */
  markRun(variant: Variant, count: number): void {
    this.presence?.pushRun(1, count);
    this.numbers?.pushRun(variant.number, count);
  }

  /** F-47: a variant that the site lacks is added at the end of its list. */
  add(variant: Variant): void {
    if (this.variants.length === 1) {
      this.numbers = new IntRows();
      this.numbers.pushRun(0, this.variants[0]!.count);
    }
    variant.number = this.variants.length;
    this.variants.push(variant);
    if (variant instanceof RowVariant) variant.type.sites.push(this);
    if (this.variants.length === MANY_VARIANTS) this.renumber();
    else if ((this.find(variant.key) ?? variant) === variant) this.take(variant);
  }

  /** The variant that takes new values of a kind: the first of several. */
  find(key: Key): Variant | undefined {
    if (this.byKey !== undefined) return this.byKey.get(key);
    for (const variant of this.variants) if (variant.key === key) return variant;
    return undefined;
  }

  /** Makes a variant the one that takes new values of its kind. */
  private take(variant: Variant): void {
    this.byKey?.set(variant.key, variant);
    switch (variant.key) {
      case "int":
        this.int = variant as ScalarVariant<IntRows>;
        break;
      case "f64":
        this.float = variant as ScalarVariant<FloatRows>;
        break;
      case "string":
        this.text = variant as ScalarVariant<ListRows<string>>;
        break;
      case "bool":
        this.bool = variant as ScalarVariant<NumberRows>;
        break;
      case "list":
        this.list = variant as RowVariant;
        break;
      case "record":
        this.record = variant as RowVariant;
    }
  }

  /** After a variant became of another kind: the first of several takes new values (F-65). */
  renumber(): void {
    this.byKey = this.variants.length >= MANY_VARIANTS ? new Map() : undefined;
    this.record = undefined;
    // The last that is noted is the first of its kind.
    for (const variant of this.variants.toReversed()) this.take(variant);
  }
}

/** The row of a site that is a reference, or a new row beside references (F-64). */
export function pushReference(variant: RowVariant, reference: number): void {
  if (variant.references === undefined) {
    if (reference === 0) return;
    variant.references = new IntRows();
    variant.references.pushRun(0, variant.count);
  }
  variant.references.push(reference);
}
