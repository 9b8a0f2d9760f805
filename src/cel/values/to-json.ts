/** Values that expressions made, as JSON. Parts may be shared many times, so what they unfold to is bounded. */

import { nestingMax } from "../../machinery/json/json-gate.ts";
import { requestBytesMax } from "../limits.ts";
import { MadeObject } from "./made-object.ts";
import { durationText, timestampText } from "./times.ts";
import {
  Bytes,
  Dictionary,
  Duration,
  EvaluationError,
  List,
  ObjectValue,
  Timestamp,
  typeNameOf,
  Uint,
  type Value,
} from "./values.ts";

/** An EvaluationError where a part has no form in JSON, or the whole is larger than a request may be. */
export function toJson(value: Value): unknown {
  return new Writer().write(value, undefined);
}

/** About what the punctuation of one part takes. */
const partBytes = 2;

class Writer {
  #left = requestBytesMax;
  /** Lists, maps and objects around the part that is written. */
  #nesting = 0;

  /** `typeName`: what an object at this place must be made as; undefined: its own name. */
  write(value: Value, typeName: string | undefined): unknown {
    this.#left -= typeof value === "string" ? value.length + partBytes : partBytes;
    if (this.#left < 0) return new EvaluationError(`the value is larger than ${requestBytesMax} bytes`);
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "bigint") return numberOf(value);
    if (typeof value === "number")
      return Number.isFinite(value) ? value : new EvaluationError("NaN and infinity are not values of JSON");
    if (value instanceof EvaluationError) return value;
    if (value instanceof Uint) return numberOf(value.value);
    if (value instanceof Bytes) return Buffer.from(value.value).toString("base64");
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (++this.#nesting > nestingMax)
      return new EvaluationError(`the value is nested more than ${nestingMax} levels deep`);
    const written = this.#writeParts(value, typeName);
    this.#nesting--;
    return written;
  }

  #writeParts(value: Value & object, typeName: string | undefined): unknown {
    if (value instanceof List) return this.#list(value, typeName);
    if (value instanceof Dictionary) return this.#map(value, typeName);
    if (value instanceof MadeObject) return this.#made(value, typeName);
    if (value instanceof ObjectValue) return this.#object(value, [...value.type.fields.keys()], () => undefined);
    // A quantity, a type, an optional.
    return new EvaluationError(`a value of type ${typeNameOf(value)} has no form in JSON`);
  }

  #list(list: List, typeName: string | undefined): unknown {
    const items: unknown[] = [];
    for (let at = 0; at < list.size; at++) {
      const item = this.write(list.at(at), typeName);
      if (item instanceof EvaluationError) return item;
      items.push(item);
    }
    return items;
  }

  #map(map: Dictionary, typeName: string | undefined): unknown {
    const members: [string, unknown][] = [];
    for (const key of map.keys()) {
      if (typeof key !== "string") return new EvaluationError(`keys must be strings, not ${typeNameOf(key)}`);
      const member = this.write(map.get(key) ?? null, typeName);
      if (member instanceof EvaluationError) return member;
      this.#left -= key.length;
      members.push([key, member]);
    }
    return Object.fromEntries(members);
  }

  /** `Object.spec` may only be the value of the field `spec` of an `Object`; lists and maps between them have no names. */
  #made(made: MadeObject, typeName = made.type.name): unknown {
    if (made.type.name !== typeName)
      return new EvaluationError(
        `type mismatch: unexpected type name "${made.type.name}", expected "${typeName}", which matches field name path from root Object type`,
      );
    return this.#object(made, [...made.fields.keys()], (field) => `${typeName}.${field}`);
  }

  #object(object: ObjectValue, fields: readonly string[], nameOf: (field: string) => string | undefined): unknown {
    const members: [string, unknown][] = [];
    for (const field of fields) {
      if (!object.has(field)) continue;
      const member = this.write(object.get(field) ?? null, nameOf(field));
      if (member instanceof EvaluationError) return member;
      this.#left -= field.length;
      members.push([field, member]);
    }
    return Object.fromEntries(members);
  }
}

/** Numbers that JavaScript cannot hold exactly stay what they are. */
const numberOf = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
