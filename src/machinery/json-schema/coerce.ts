/**
 * Brings a value into the form in which its schema keeps it: defaults filled in, unknown members and stray nulls removed.
 *
 * With `{ replicas: { type: integer, default: 1 }, size: { type: integer } }` as properties:
 *
 *   { size: 3, color: "red" }          { size: 3, replicas: 1 }
 *   { size: null, replicas: null }     { replicas: 1 }            null is not a value unless the schema allows it
 */

import { copyJson, isObject, type JsonObject, setOwn } from "../schema/json-value.ts";
import { resourceMembers } from "./json-schema.ts";
import type { SchemaPlan } from "./plan.ts";

export interface Coercion {
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
}

/** In place. Returns whether anything was changed. */
export function coerce(value: unknown, plan: SchemaPlan, coercion: Coercion): boolean {
  const walk = new Walk(coercion);
  walk.visit(value, plan, { isResource: coercion.isResource, keeps: false });
  return walk.changed;
}

interface Around {
  readonly isResource: boolean;
  /** A schema around a list keeps unknown members, and so do its items. */
  readonly keeps: boolean;
}

const inside: Around = { isResource: false, keeps: false };
const kept: Around = { isResource: false, keeps: true };

class Walk {
  changed = false;
  readonly #prunes: boolean;
  readonly #defaults: boolean;
  readonly #keepsNulls: boolean;

  constructor({ prunes, defaults, keepsNulls = false }: Coercion) {
    this.#prunes = prunes;
    this.#keepsNulls = keepsNulls;
    this.#defaults = defaults;
  }

  visit(value: unknown, plan: SchemaPlan | undefined, around: Around): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) this.#list(value, plan, around.keeps || plan?.keepsUnknown === true);
    else if (isObject(value)) this.#object(value, plan, around);
  }

  #list(list: unknown[], plan: SchemaPlan | undefined, keeps: boolean): void {
    const items = plan?.items;
    if (items === undefined && keeps) return;
    for (let index = 0; index < list.length; index++) {
      if (list[index] === null && this.#isMissing(null, items)) {
        list[index] = copyJson(items?.fallback);
        this.changed = true;
      }
      this.visit(list[index], items, keeps ? kept : inside);
    }
  }

  #object(object: JsonObject, plan: SchemaPlan | undefined, around: Around): void {
    if (plan !== undefined && this.#defaults) this.#fill(object, plan);
    const keeps = around.keeps || plan?.keepsUnknown === true;
    const isResource = around.isResource || plan?.isResource === true;
    for (const name of Object.keys(object)) {
      const property = plan?.property(name);
      if (isResource && resourceMembers.has(name)) {
        // Nothing is unknown there, but there may be defaults.
        if (property !== undefined && this.#defaults) fillOnly(this, object[name], property);
      } else if (property !== undefined) this.#member(object, name, property);
      else if (plan?.additional !== undefined) this.#member(object, name, plan.additional);
      else if (plan?.schema.additionalProperties !== undefined) this.visit(object[name], undefined, inside);
      else if (!keeps) this.#drop(object, name);
    }
  }

  #fill(object: JsonObject, plan: SchemaPlan): void {
    for (const name of plan.defaulted) {
      const property = plan.property(name);
      if (Object.hasOwn(object, name) && !this.#isMissing(object[name], property)) continue;
      setOwn(object, name, copyJson(property?.fallback));
      this.changed = true;
    }
  }

  #member(object: JsonObject, name: string, plan: SchemaPlan): void {
    if (object[name] === null && !plan.isNullable) {
      if (plan.fallback === undefined && !this.#keepsNulls) this.#drop(object, name);
      if (!this.#isMissing(null, plan)) return;
      setOwn(object, name, copyJson(plan.fallback));
      this.changed = true;
    }
    this.visit(object[name], plan, inside);
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
}

function fillOnly(walk: Walk, value: unknown, plan: SchemaPlan): void {
  if (coerce(value, plan, { prunes: false, defaults: true, isResource: false })) walk.changed = true;
}
