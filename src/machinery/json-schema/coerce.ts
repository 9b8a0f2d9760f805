/**
 * Brings a value into the form in which its schema keeps it: defaults filled in, unknown members and stray nulls removed.
 *
 * With `{ replicas: { type: integer, default: 1 }, size: { type: integer } }` as properties:
 *
 *   { size: 3, color: "red" }          { size: 3, replicas: 1 }
 *   { size: null, replicas: null }     { replicas: 1 }            null is not a value unless the schema allows it
 */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { nestingMax } from "../json/json-gate.ts";
import { resourceMembers } from "../json/json-schema.ts";
import { jsonBytes } from "../json/json-size.ts";
import { copyJson, isObject, type JsonObject, setOwn } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import { StatusError } from "../status/status.ts";
import type { SchemaPlan } from "./plan.ts";

interface Coercion {
  /** Whether unknown members are removed. Without it only defaults are filled in. */
  readonly prunes: boolean;
  readonly defaults: boolean;
  /**
   * Whether a null stays although the schema allows none. Default: pruning removes it, unless there is a default that
   * replaces it.
   */
  readonly keepsNulls?: boolean;
  /** The value is a whole object, whose metadata, kind and apiVersion are known in any case. */
  readonly isResource: boolean;
  /** How many bytes of JSON the defaults may add. Default: filledBytesMax. */
  readonly addedBytesMax?: number;
}

/**
 * How many bytes of JSON a value may have after defaults were added: as many as can be stored. A default of 200 kB for the items
 * of a list would otherwise make hundreds of megabytes of a few kilobytes.
 */
export const filledBytesMax = 1_572_864;
/** Below this the sum is not computed: the value itself was small enough to be sent or stored. */
const countedBytesMin = 16 * 1024;

/** The defaults were not added. */
export class DefaultsTooLarge extends StatusError {
  constructor() {
    const limit = `at most ${filledBytesMax} bytes`;
    super("RequestEntityTooLarge", `the defaults of its definition make the object too large: it must have ${limit}`);
  }
}

/** Calls `fill`; false: the defaults would have been too large, and were not added. */
export function unlessTooLarge(fill: () => void): boolean {
  try {
    fill();
    return true;
  } catch (error) {
    if (error instanceof DefaultsTooLarge) return false;
    throw error;
  }
}

/** In place. Returns whether anything was changed. Throws DefaultsTooLarge after removing all defaults that it had added. */
export function coerce(value: unknown, plan: SchemaPlan, coercion: Coercion): boolean {
  const walk = new Walk(coercion);
  try {
    walk.visit(value, plan, { isResource: coercion.isResource, keeps: false });
    walk.checkSize(value);
  } catch (error) {
    if (error instanceof DefaultsTooLarge) walk.removeAdded();
    throw error;
  }
  return walk.changed;
}

/** As `coerce`, of a value that may be large. */
export function* coerceInSteps(value: unknown, plan: SchemaPlan, coercion: Coercion): Steps<boolean> {
  const walk = new Walk(coercion);
  try {
    yield* walk.visitInSteps(value, plan, { isResource: coercion.isResource, keeps: false }, new Pace());
    yield;
    walk.checkSize(value);
  } catch (error) {
    if (error instanceof DefaultsTooLarge) walk.removeAdded();
    throw error;
  }
  return walk.changed;
}

/** A value of no more parts than this takes one step. */
const partsAtOnceMax = 50;

interface Around {
  readonly isResource: boolean;
  /** A schema around a list keeps unknown members, and so do its items. */
  readonly keeps: boolean;
}

const inside: Around = { isResource: false, keeps: false };
const kept: Around = { isResource: false, keeps: true };
const resource: Around = { isResource: true, keeps: false };
const keptResource: Around = { isResource: true, keeps: true };

class Walk {
  changed = false;
  readonly #prunes: boolean;
  readonly #defaults: boolean;
  readonly #keepsNulls: boolean;
  readonly #addedBytesMax: number;
  readonly #added: Added[] = [];
  addedBytes = 0;

  constructor({ prunes, defaults, keepsNulls = false, addedBytesMax = filledBytesMax }: Coercion) {
    this.#addedBytesMax = addedBytesMax;
    this.#prunes = prunes;
    this.#keepsNulls = keepsNulls;
    this.#defaults = defaults;
  }

  /** Throws if the defaults that were added make too much of the value. */
  checkSize(value: unknown): void {
    if (this.addedBytes > countedBytesMin && jsonBytes(value, filledBytesMax, nestingMax) > filledBytesMax)
      throw new DefaultsTooLarge();
  }

  visit(value: unknown, plan: SchemaPlan | undefined, around: Around): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      const keeps = around.keeps || plan?.keepsUnknown === true;
      if (plan?.items === undefined && keeps) return;
      for (let index = 0; index < value.length; index++) {
        this.#item(value, index, plan?.items);
        this.visit(value[index], plan?.items, keeps ? kept : inside);
      }
    } else if (isObject(value)) {
      const here = this.#begin(value, plan, around);
      for (const name of Object.keys(value)) {
        const schema = this.#settle(value, name, plan, here);
        if (schema !== undefined) this.visit(value[name], schema === "unknown" ? undefined : schema, inside);
      }
    }
  }

  /** What `visit` does, of a value that may be large. */
  *visitInSteps(value: unknown, plan: SchemaPlan | undefined, around: Around, pace: Pace): Steps<void> {
    if (Array.isArray(value)) {
      const keeps = around.keeps || plan?.keepsUnknown === true;
      if (plan?.items === undefined && keeps) return;
      for (let index = 0; index < value.length; index++) {
        if (pace.isDue) yield;
        this.#item(value, index, plan?.items);
        const item: unknown = value[index];
        if (isSmall(item, partsAtOnceMax)) this.visit(item, plan?.items, keeps ? kept : inside);
        else yield* this.visitInSteps(item, plan?.items, keeps ? kept : inside, pace);
      }
    } else if (isObject(value)) {
      const here = this.#begin(value, plan, around);
      for (const name of Object.keys(value)) {
        if (pace.isDue) yield;
        const schema = this.#settle(value, name, plan, here);
        if (schema === undefined) continue;
        const below = schema === "unknown" ? undefined : schema;
        if (isSmall(value[name], partsAtOnceMax)) this.visit(value[name], below, inside);
        else yield* this.visitInSteps(value[name], below, inside, pace);
      }
    }
  }

  #item(list: unknown[], index: number, plan: SchemaPlan | undefined): void {
    if (list[index] === null && this.#isMissing(null, plan)) this.#add(list, index, plan?.fallback);
  }

  #begin(object: JsonObject, plan: SchemaPlan | undefined, around: Around): Around {
    if (plan !== undefined && this.#defaults) this.#fill(object, plan);
    const keeps = around.keeps || plan?.keepsUnknown === true;
    if (around.isResource || plan?.isResource === true) return keeps ? keptResource : resource;
    return keeps ? kept : inside;
  }

  /** The schema of what is inside the member. Undefined: it is not visited. */
  #settle(
    object: JsonObject,
    name: string,
    plan: SchemaPlan | undefined,
    { isResource, keeps }: Around,
  ): SchemaPlan | "unknown" | undefined {
    const property = plan?.property(name);
    if (isResource && resourceMembers.has(name)) {
      // Nothing is unknown there, but there may be defaults.
      if (property !== undefined && this.#defaults) this.#fillOnly(object[name], property);
      return undefined;
    }
    const declared = property ?? plan?.additional;
    if (declared !== undefined) {
      if (object[name] === null && !declared.isNullable) this.#replaceNull(object, name, declared);
      return declared;
    }
    if (plan?.schema.additionalProperties !== undefined) return "unknown";
    if (!keeps) this.#drop(object, name);
    return undefined;
  }

  #replaceNull(object: JsonObject, name: string, plan: SchemaPlan): void {
    if (plan.fallback === undefined && !this.#keepsNulls) this.#drop(object, name);
    if (this.#isMissing(null, plan)) this.#add(object, name, plan.fallback);
  }

  #fill(object: JsonObject, plan: SchemaPlan): void {
    for (const name of plan.defaulted) {
      const property = plan.property(name);
      if (Object.hasOwn(object, name) && !this.#isMissing(object[name], property)) continue;
      this.#add(object, name, property?.fallback);
    }
  }

  /** Whether a default replaces a present value. */
  #isMissing(value: unknown, plan: SchemaPlan | undefined): boolean {
    return this.#defaults && value === null && plan !== undefined && !plan.isNullable && plan.fallback !== undefined;
  }

  #drop(object: JsonObject, name: string): void {
    if (!this.#prunes) return;
    delete object[name];
    this.changed = true;
  }

  #add(to: JsonObject | unknown[], name: string | number, fallback: unknown): void {
    this.addedBytes += String(name).length + jsonBytes(fallback, this.#addedBytesMax, nestingMax);
    if (this.addedBytes > this.#addedBytesMax) throw new DefaultsTooLarge();
    if (Array.isArray(to)) {
      this.#added.push({ to, name, wasNull: true });
      to[Number(name)] = copyJson(fallback);
    } else {
      this.#added.push({ to, name, wasNull: Object.hasOwn(to, name) });
      setOwn(to, String(name), copyJson(fallback));
    }
    this.changed = true;
  }

  /** A part in which nothing is unknown. */
  #fillOnly(value: unknown, plan: SchemaPlan): void {
    const addedBytesMax = this.#addedBytesMax - this.addedBytes;
    const walk = new Walk({ prunes: false, defaults: true, isResource: false, addedBytesMax });
    try {
      walk.visit(value, plan, inside);
    } finally {
      for (const one of walk.#added) this.#added.push(one);
      this.addedBytes += walk.addedBytes;
      if (walk.changed) this.changed = true;
    }
  }

  removeAdded(): void {
    for (const { to, name, wasNull } of this.#added.reverse()) {
      if (Array.isArray(to)) to[Number(name)] = null;
      else if (wasNull) setOwn(to, String(name), null);
      else delete to[name];
    }
  }
}

/** A default that was added, and what to do to remove it again. */
interface Added {
  readonly to: JsonObject | unknown[];
  readonly name: string | number;
  /** Whether it replaced a null; otherwise there was nothing. */
  readonly wasNull: boolean;
}
