/** An object that an expression made: `Object{spec: Object.spec{replicas: 3}}`. */

import type { ObjectType } from "../types/types.ts";
import { type EvaluationError, ObjectValue, type Value } from "./values.ts";

export class MadeObject extends ObjectValue {
  readonly type: ObjectType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: ObjectType, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(field: string): Value | undefined {
    return this.fields.get(field);
  }

  has(field: string): boolean {
    return this.fields.has(field);
  }

  equals(other: Value, equal: (a: Value, b: Value) => boolean | EvaluationError): boolean | EvaluationError {
    if (!(other instanceof MadeObject) || other.type.name !== this.type.name || other.size !== this.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      const same = theirs !== undefined && equal(value, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}
