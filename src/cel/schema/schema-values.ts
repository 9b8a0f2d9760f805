/** JSON of a schema as values: objects with declared fields, and lists with the equality of their list type. */

import { sameJson } from "../../machinery/json/json-value.ts";
import { JsonList, KnownMembers } from "../values/json.ts";
import { Dictionary, type EvaluationError, ObjectValue, type Value } from "../values/values.ts";
import type { DeclaredObject, DeclaredType } from "./declared-type.ts";

export class SchemaObject extends ObjectValue {
  readonly #declared: DeclaredObject;
  readonly raw: object;
  override readonly isMap = true;
  readonly #members = new KnownMembers();

  constructor(declared: DeclaredObject, raw: object) {
    super();
    this.#declared = declared;
    this.raw = raw;
  }

  get type() {
    return this.#declared.type;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  /** A member that is null is not set. */
  get(field: string): Value | undefined {
    const found = this.#declared.fields.get(field);
    if (found === undefined || !this.has(field)) return undefined;
    return this.#members.read(this.raw, found.property, found.declared.read);
  }

  has(field: string): boolean {
    const found = this.#declared.fields.get(field);
    return found !== undefined && Object.hasOwn(this.raw, found.property) && this.#member(found.property) !== null;
  }

  /** Members that the schema does not declare are compared as JSON. */
  equals(other: Value, equal: (a: Value, b: Value) => boolean | EvaluationError): boolean | EvaluationError {
    if (!(other instanceof SchemaObject)) return other instanceof Dictionary ? this.#equalsMap(other, equal) : false;
    const names = Object.keys(this.raw);
    if (names.length !== Object.keys(other.raw).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(other.raw, name)) return false;
      const declared = this.#declared.properties.get(name);
      const same =
        declared === undefined
          ? sameJson(this.#member(name), other.#member(name))
          : equal(declared.read(this.#member(name)), declared.read(other.#member(name)));
      if (same !== true) return same;
    }
    return true;
  }

  #equalsMap(other: Dictionary, equal: (a: Value, b: Value) => boolean | EvaluationError): boolean | EvaluationError {
    if (other.size !== this.size) return false;
    for (const [name, declared] of this.#declared.properties) {
      if (!Object.hasOwn(this.raw, name)) continue;
      const found = other.get(name);
      const same = found !== undefined && equal(declared.read(this.#member(name)), found);
      if (same !== true) return same;
    }
    return true;
  }

  #member(name: string): unknown {
    // JSON objects have members of any name.
    return (this.raw as Record<string, unknown>)[name];
  }
}

export class SchemaList extends JsonList {
  override readonly equality: "order" | "set" | "map";
  readonly #keys: readonly string[];

  constructor(raw: readonly unknown[], item: DeclaredType, equality: "order" | "set" | "map", keys: readonly string[]) {
    super(raw, item.read);
    this.equality = equality;
    this.#keys = keys;
  }

  override keyOf(index: number): string | undefined {
    return this.#keyText(this.raw[index]);
  }

  override keyOfItem(item: Value): string | undefined {
    return item instanceof SchemaObject ? this.#keyText(item.raw) : undefined;
  }

  #keyText(json: unknown): string | undefined {
    if (typeof json !== "object" || json === null) return undefined;
    // JSON objects have members of any name.
    return JSON.stringify(
      this.#keys.map((key) => (json as Record<string, unknown>)[key] ?? null),
      (_, value) => (typeof value === "bigint" ? String(value) : value),
    );
  }
}
