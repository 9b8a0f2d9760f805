/**
 * JSON patch (RFC 6902) with the behaviour of the reference server: `replace` of a missing member adds it, a missing member
 * equals null for `test`, `copy` of a missing member gives null, indices may count from the end and have leading zeros,
 * and anything before the first slash of a pointer is ignored. Since 1.23 the empty pointer is the document as a whole for
 * `replace`, which does nothing if the value is a scalar or null, and for `test`.
 */

import { finish, type Steps } from "../../base/time-slice.ts";
import { nestingMax } from "../json/json-gate.ts";
import { isDeeperThan, jsonBytes } from "../json/json-size.ts";
import { copyJson, getOwn, isObject, type JsonObject, sameJson, setOwn } from "../json/json-value.ts";
import type { Environment } from "../schema/environment.ts";
import { badRequest, StatusError, tooLarge } from "../status/status.ts";

export const jsonPatchOperationsMax = 10_000;
/** How many characters one pointer may have: each of its escapes costs work. */
export const jsonPatchPointerCharsMax = 4_096;
/** How much all `copy` operations of a patch may copy; without it forty of them could double a document forty times. */
export const jsonPatchCopiedBytesMax = 3 * 1024 * 1024;
/** How many items insertions and removals in lists may move; limits ten thousand insertions at the front of a huge list. */
export const jsonPatchShiftedItemsMax = 50_000_000;
/** How deep the result may be nested; moves could otherwise stack values without end. */
export const jsonPatchDepthMax = nestingMax;

/**
 * The document after all operations, or a refusal: 400 if `operations` is not a list of objects, 413 past a limit, 422
 * if an operation cannot be carried out. Neither argument is changed. null stands for no operations.
 */
export function applyJsonPatch(document: unknown, operations: unknown, dialect: JsonPatchDialect = {}): unknown {
  return finish(jsonPatchSteps(document, operations, dialect));
}

interface JsonPatchDialect {
  /** Whether the empty pointer is the document as a whole. Default: false, it leads nowhere. */
  readonly takesWhole?: boolean;
}

export const jsonPatchDialect = ({ has }: Pick<Environment, "has">): JsonPatchDialect => ({
  takesWhole: has("wholeDocumentPatches"),
});

/** Patches in steps: an operation may compare or copy a whole document. */
export function* jsonPatchSteps(
  document: unknown,
  operations: unknown,
  dialect: JsonPatchDialect = {},
): Steps<unknown> {
  if (operations === null) return document;
  if (!Array.isArray(operations) || !operations.every((one) => one === null || isObject(one))) {
    throw badRequest("a JSON patch must be a list of operations, each an object");
  }
  if (operations.length > jsonPatchOperationsMax) {
    throw tooLarge(
      `the allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${operations.length}`,
    );
  }
  const work = new Workpiece(document, dialect);
  for (const [index, operation] of (operations as readonly (JsonObject | null)[]).entries()) {
    yield;
    try {
      work.perform(operation ?? {});
    } catch (problem) {
      if (!(problem instanceof Inapplicable)) throw problem;
      const { op, path } = operation ?? {};
      const shown = [op, path].map((text) => (typeof text === "string" ? text.slice(0, shownCharsMax) : "?")).join(" ");
      throw invalid(`operation ${index} of the JSON patch (${shown}) cannot be applied: ${problem.message}`, problem);
    }
  }
  yield;
  if (yield* isDeeperThan(work.root, jsonPatchDepthMax)) {
    throw invalid(`the result of the JSON patch must not be nested more than ${jsonPatchDepthMax} levels deep`);
  }
  return work.root;
}

const shownCharsMax = 200;
const invalid = (message: string, cause?: Error) => new StatusError("Invalid", message, { details: {}, cause });

/** Why one operation cannot be carried out. */
class Inapplicable extends Error {}
/** The cause of a refusal because of a `test`. */
export class FailedTest extends Inapplicable {}

type Container = JsonObject | unknown[];

/** The document while it is patched. Containers are copied when they are first written to; `own` are those copies. */
class Workpiece {
  root: unknown;
  readonly #takesWhole: boolean;
  readonly #own = new WeakSet<object>();
  #copiedBytes = 0;
  #shiftedItems = 0;

  constructor(root: unknown, { takesWhole = false }: JsonPatchDialect) {
    this.root = root;
    this.#takesWhole = takesWhole;
  }

  perform(operation: JsonObject): void {
    const value = getOwn(operation, "value") ?? null;
    if (this.#takesWhole && getOwn(operation, "path") === "" && this.#performOnWhole(getOwn(operation, "op"), value))
      return;
    switch (getOwn(operation, "op")) {
      case "add":
        this.#add(pointer(operation, "path"), value);
        return;
      case "remove":
        this.#remove(pointer(operation, "path"));
        return;
      case "replace":
        this.#replace(pointer(operation, "path"), value);
        return;
      case "move": {
        const from = pointer(operation, "from");
        const moved = this.#read(from) ?? null;
        this.#remove(from);
        this.#add(pointer(operation, "path"), moved);
        return;
      }
      case "copy": {
        const copied = this.#read(pointer(operation, "from")) ?? null;
        this.#copiedBytes += jsonBytes(copied, jsonPatchCopiedBytesMax - this.#copiedBytes, jsonPatchDepthMax);
        if (this.#copiedBytes > jsonPatchCopiedBytesMax) {
          throw new Inapplicable(`all copies together must not exceed ${jsonPatchCopiedBytesMax} bytes`);
        }
        this.#add(pointer(operation, "path"), copyJson(copied));
        return;
      }
      case "test":
        if (!sameJson(this.#read(pointer(operation, "path")) ?? null, value)) {
          throw new FailedTest("the tested value is different");
        }
        return;
      default:
        throw new Inapplicable("op must be one of add, remove, replace, move, copy, test");
    }
  }

  /** Whether the operation was one on the document as a whole. */
  #performOnWhole(op: unknown, value: unknown): boolean {
    if (op === "test" && !sameJson(this.root, value)) throw new FailedTest("the tested value is different");
    if (op === "replace" && typeof value === "object" && value !== null) this.root = value;
    return op === "test" || op === "replace";
  }

  #read(path: readonly string[]): unknown {
    const container = this.#container(path, false);
    const key = path.at(-1)!;
    return Array.isArray(container) ? container[existingIndex(container, key)] : getOwn(container, key);
  }

  #add(path: readonly string[], value: unknown): void {
    const container = this.#container(path, true);
    const key = path.at(-1)!;
    if (!Array.isArray(container)) setOwn(container, key, value);
    else if (key === "-") container.push(value);
    else {
      const index = listIndex(key, container.length + 1);
      this.#shift(container.length - index);
      container.splice(index, 0, value);
    }
  }

  #replace(path: readonly string[], value: unknown): void {
    const container = this.#container(path, true);
    const key = path.at(-1)!;
    if (Array.isArray(container)) container[existingIndex(container, key)] = value;
    else setOwn(container, key, value);
  }

  #remove(path: readonly string[]): void {
    const container = this.#container(path, true);
    const key = path.at(-1)!;
    if (Array.isArray(container)) {
      const index = existingIndex(container, key);
      this.#shift(container.length - index);
      container.splice(index, 1);
    } else {
      if (!Object.hasOwn(container, key)) throw new Inapplicable("there is nothing to remove");
      delete container[key];
    }
  }

  #shift(items: number): void {
    this.#shiftedItems += items;
    if (this.#shiftedItems > jsonPatchShiftedItemsMax) {
      throw tooLarge("the JSON patch moves too many list items; replace the list instead");
    }
  }

  /** The container of the last step of the path; with `writable`, every container on the path is our own copy. */
  #container(path: readonly string[], writable: boolean): Container {
    if (path.length === 0) throw new Inapplicable("the document as a whole cannot be addressed");
    if (writable) this.root = this.#owned(this.root);
    let container = asContainer(this.root);
    for (const key of path.slice(0, -1)) {
      const at = Array.isArray(container) ? existingIndex(container, key) : key;
      let next = Array.isArray(container) ? container[at as number] : getOwn(container, key);
      if (writable && typeof next === "object" && next !== null) {
        const mine = this.#owned(next);
        if (mine !== next) {
          next = mine;
          if (Array.isArray(container)) container[at as number] = mine;
          else setOwn(container, key, mine);
        }
      }
      container = asContainer(next);
    }
    return container;
  }

  #owned(value: unknown): unknown {
    if (typeof value !== "object" || value === null || this.#own.has(value)) return value;
    const mine = Array.isArray(value) ? value.slice() : { ...value };
    this.#own.add(mine);
    return mine;
  }
}

function asContainer(value: unknown): Container {
  if (Array.isArray(value) || isObject(value)) return value;
  throw new Inapplicable("the path leads nowhere");
}

/** The steps of a pointer. Text before the first slash is dropped, as the reference does; without a slash there are none. */
function pointer(operation: JsonObject, member: "path" | "from"): readonly string[] {
  const text = getOwn(operation, member);
  if (typeof text !== "string") throw new Inapplicable(`${member} must be a JSON pointer`);
  if (text.length > jsonPatchPointerCharsMax) {
    throw tooLarge(`a pointer of a JSON patch must have at most ${jsonPatchPointerCharsMax} characters`);
  }
  const steps = text.split("/").slice(1);
  return text.includes("~")
    ? steps.map((step) => step.replace(/~[01]/g, (code) => (code === "~1" ? "/" : "~")))
    : steps;
}

const indexCharsMax = 16;

/** An index below `end`; negative ones count back from `end`. */
function listIndex(key: string, end: number): number {
  if (key.length > indexCharsMax || !/^[+-]?[0-9]+$/.test(key)) {
    throw new Inapplicable("a list index must be an integer");
  }
  const index = Number(key);
  const place = index < 0 ? index + end : index;
  if (place < 0 || place >= end) throw new Inapplicable("the list index is out of range");
  return place;
}

const existingIndex = (list: readonly unknown[], key: string) => listIndex(key, list.length);
