/** JSON patches as kustomize applies them: unlike on a server, what is replaced must exist. */

import { CtlError } from "../errors.ts";
import { isSame } from "../json.ts";
import {
  copyValue,
  fromPlain,
  isMembers,
  type Members,
  at as memberAt,
  plainValue,
  put,
  textAt,
  type YamlValue,
} from "./value.ts";

/** Changes `members`. Throws CtlError for an operation that cannot be applied. */
export function applyOperations(members: Members, operations: readonly YamlValue[]): void {
  for (const operation of operations) {
    const name = textAt(operation, "op");
    const perform = Object.hasOwn(performers, name) ? performers[name] : undefined;
    if (perform === undefined || !isMembers(operation)) throw new CtlError(`Unexpected kind: ${name || "unknown"}`);
    perform(members, operation);
  }
}

type Performer = (members: Members, operation: Members) => void;

const performers: Readonly<Record<string, Performer>> = {
  add: (members, operation) => placeOf(members, operation, "path", "add").add(valueIn(operation)),
  remove: (members, operation) => placeOf(members, operation, "path", "remove").remove(),
  replace: (members, operation) => placeOf(members, operation, "path", "replace").replace(valueIn(operation)),
  test(members, operation) {
    const place = placeOf(members, operation, "path", "test");
    if (!isSame(plainValue(place.read() ?? null), plainValue(valueIn(operation))))
      throw place.refusal("testing value failed");
  },
  copy: (members, operation) => {
    const from = placeOf(members, operation, "from", "copy");
    const value = from.read();
    if (value === undefined) throw from.refusal("missing value");
    placeOf(members, operation, "path", "copy").add(copyValue(value));
  },
  move: (members, operation) => {
    const from = placeOf(members, operation, "from", "move");
    const value = from.read();
    if (value === undefined) throw from.refusal("missing value");
    from.remove();
    placeOf(members, operation, "path", "move").add(value);
  },
};

const valueIn = (operation: Members): YamlValue =>
  copyValue(fromPlain(plainValue(memberAt(operation, "value") ?? null)));

/** Where a pointer leads. */
class PointedPlace {
  readonly #parent: Members | YamlValue[];
  readonly #key: string;
  readonly #pointer: string;
  readonly #operation: string;

  constructor(parent: Members | YamlValue[], key: string, pointer: string, operation: string) {
    this.#parent = parent;
    this.#key = key;
    this.#pointer = pointer;
    this.#operation = operation;
  }

  read(): YamlValue | undefined {
    return Array.isArray(this.#parent) ? this.#parent[this.#index(false)] : memberAt(this.#parent, this.#key);
  }

  add(value: YamlValue): void {
    if (!Array.isArray(this.#parent)) put(this.#parent, this.#key, value);
    else this.#parent.splice(this.#key === "-" ? this.#parent.length : this.#index(true), 0, value);
  }

  replace(value: YamlValue): void {
    if (this.read() === undefined) throw this.refusal("missing value");
    if (Array.isArray(this.#parent)) this.#parent[this.#index(false)] = value;
    else put(this.#parent, this.#key, value);
  }

  remove(): void {
    if (Array.isArray(this.#parent)) this.#parent.splice(this.#index(false), 1);
    else if (Object.hasOwn(this.#parent, this.#key)) delete this.#parent[this.#key];
    else throw this.refusal("missing value");
  }

  refusal(problem: string): CtlError {
    return new CtlError(
      `${this.#operation} operation does not apply: doc is missing key: ${this.#pointer}: ${problem}`,
    );
  }

  /** From the end if it is negative. */
  #index(isNew: boolean): number {
    const { length } = this.#parent as YamlValue[];
    const index = /^-?\d+$/.test(this.#key) ? Number(this.#key) : Number.NaN;
    const found = index < 0 ? index + length : index;
    if (Number.isNaN(found) || found < 0 || found > length || (found === length && !isNew))
      throw this.refusal(`index ${this.#key} out of bounds: invalid index referenced`);
    return found;
  }
}

function placeOf(members: Members, operation: Members, field: "path" | "from", name: string): PointedPlace {
  const pointer = textAt(operation, field);
  const parts = pointer.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.at(-1) ?? "";
  let parent: YamlValue | undefined = members;
  if (parts.length < 2) parent = undefined;
  for (const part of parts.slice(1, -1)) {
    const found: PointedPlace | undefined =
      isMembers(parent) || Array.isArray(parent) ? new PointedPlace(parent, part, pointer, name) : undefined;
    parent = found?.read();
  }
  if (isMembers(parent) || Array.isArray(parent)) return new PointedPlace(parent, key, pointer, name);
  throw new CtlError(`${name} operation does not apply: doc is missing path: "${pointer}": missing value`);
}
