/**
 * Objects whose fields read as the zero of their type where they are not set, as fields of messages do: `self.status.readyReplicas < 3`
 * is true before the field is there. `has(…)` and `.?` say whether it is. Times have no zero.
 */

import { LazyMap } from "../../base/lazy-map.ts";
import { listOf, mapOf, objectType, string, type Type } from "../types/types.ts";
import { JsonList, JsonMap } from "../values/json.ts";
import { Bytes, type EvaluationError, ObjectValue, type Value } from "../values/values.ts";
import type { DeclaredField, DeclaredObject, DeclaredType } from "./declared-type.ts";
import { SchemaObject } from "./schema-values.ts";

/** The same type, in which absent and null fields are zero. */
export function withZeros(declared: DeclaredType): DeclaredType {
  if (isObject(declared)) return zeroObject(declared);
  const { item } = declared;
  if (item === undefined) return declared;
  const items = withZeros(item);
  const isList = declared.type.kind === "list";
  const read = (json: unknown): Value => {
    if (Array.isArray(json)) return isList ? new JsonList(json, items.read) : declared.read(json);
    if (typeof json === "object" && json !== null && !isList) return new JsonMap(json, items.read, true);
    return declared.read(json);
  };
  return { ...declared, type: isList ? listOf(items.type) : mapOf(string, items.type), item: items, read };
}

const isObject = (declared: DeclaredType): declared is DeclaredObject => "properties" in declared;

function zeroObject(declared: DeclaredObject): DeclaredObject {
  const properties = new LazyMap<DeclaredType>(
    () => declared.properties.keys(),
    (name) => {
      const found = declared.properties.get(name);
      return found && withZeros(found);
    },
  );
  const fields = new LazyMap<DeclaredField>(
    () => declared.fields.keys(),
    (name) => {
      const property = declared.fields.get(name)?.property;
      const found = property === undefined ? undefined : properties.get(property);
      return property === undefined || found === undefined ? undefined : { property, declared: found };
    },
  );
  const types = new LazyMap<Type>(
    () => declared.fields.keys(),
    (name) => fields.get(name)?.declared.type,
  );
  const made: DeclaredObject = {
    sizeMax: declared.sizeMax,
    bytesMin: 0,
    type: { ...objectType(declared.type.name, types), ...(declared.type.isOpen ? { isOpen: true } : {}) },
    fields,
    properties,
    read(json) {
      if (typeof json === "object" && json !== null && !Array.isArray(json)) return new ZeroObject(made, json);
      return declared.read(json);
    },
  };
  return made;
}

class ZeroObject extends ObjectValue {
  readonly #set: SchemaObject;
  readonly #declared: DeclaredObject;
  override readonly isMap = true;

  constructor(declared: DeclaredObject, raw: object) {
    super();
    this.#declared = declared;
    this.#set = new SchemaObject(declared, raw);
  }

  get type() {
    return this.#declared.type;
  }

  get size(): number {
    return this.#set.size;
  }

  get(field: string): Value | undefined {
    if (this.#set.has(field)) return this.#set.get(field);
    const declared = this.#declared.fields.get(field)?.declared;
    return declared && zeroOf(declared);
  }

  has(field: string): boolean {
    return this.#set.has(field);
  }

  equals(other: Value, equal: (a: Value, b: Value) => boolean | EvaluationError): boolean | EvaluationError {
    return this.#set.equals(other instanceof ZeroObject ? other.#set : other, equal);
  }
}

const noBytes = new Bytes(new Uint8Array());

/** Undefined: the type has none. */
function zeroOf({ type, read }: DeclaredType): Value | undefined {
  switch (type.kind) {
    case "int":
      return 0n;
    case "double":
      return 0;
    case "string":
      return "";
    case "bool":
      return false;
    case "bytes":
      return noBytes;
    case "list":
      return read([]);
    case "map":
    case "object":
      return read({});
    default:
      return undefined;
  }
}
