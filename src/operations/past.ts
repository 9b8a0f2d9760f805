/** Making an object what it was: what of it a person writes, and how one change is taken back. */

import { isObject, type JsonObject, setOwn } from "../machinery/json/json-value.ts";
import { cleaned } from "./cleaned.ts";

type Json = Readonly<JsonObject>;

/** The revision before that of a change, which names it. */
export const revisionBefore = (change: string): string => `${BigInt(change.split("-")[0] || 0) - 1n}`;

/** The object as it is, with what a person writes of it as it was. */
export const restored = (now: Json, past: Json): JsonObject => merged(now, writtenOf(past));

/** A deleted object as it can be created. Without owners: they may be gone, and it would be collected at once. */
export function createdAgain(past: Json): JsonObject {
  const again = cleaned(past);
  if (isObject(again["metadata"])) delete again["metadata"]["ownerReferences"];
  return again;
}

/** A change as the states around it, and what there is now. */
interface ChangeToUndo {
  readonly before: Json;
  readonly after: Json;
  readonly now: Json;
}

interface Undone {
  /** The object without the change. */
  readonly object: JsonObject;
  /** Paths that changed again since: it cannot be undone. */
  readonly conflicts: readonly string[];
}

/** Takes one change back and keeps what others have changed since. */
export function withoutChange({ before, after, now }: ChangeToUndo): Undone {
  const conflicts: string[] = [];
  const result = takeBack(writtenOf(before), writtenOf(after), writtenOf(now), "", conflicts);
  return { object: merged(now, isObject(result) ? result : {}), conflicts };
}

/** Whether a person has written something between the two. */
export const isWrittenSame = (a: Json, b: Json): boolean =>
  JSON.stringify(writtenOf(a)) === JSON.stringify(writtenOf(b));

/** `now` with what `after` changed in `before` taken back; where `now` is neither, the path is a conflict. */
function takeBack(before: unknown, after: unknown, now: unknown, path: string, conflicts: string[]): unknown {
  const [old, given, current] = [JSON.stringify(before), JSON.stringify(after), JSON.stringify(now)];
  if (old === given || old === current) return now;
  if (given === current) return before;
  if (!isObject(before) || !isObject(after) || !isObject(now)) {
    conflicts.push(path);
    return now;
  }
  const result: JsonObject = {};
  for (const key of new Set([...Object.keys(now), ...Object.keys(before)])) {
    const value = takeBack(before[key], after[key], now[key], path === "" ? key : `${path}.${key}`, conflicts);
    if (value !== undefined) setOwn(result, key, value);
  }
  return result;
}

/** What a person writes of an object: not what the server and its controllers say about it. */
function writtenOf({ status: _status, metadata: _metadata, ...rest }: Json): JsonObject {
  const { labels = {}, annotations = {} } = isObject(_metadata) ? _metadata : {};
  return { ...rest, metadata: { labels, annotations } };
}

/** The object as it is, with what a person wrote as in `wanted`. */
function merged(now: Json, wanted: Json): JsonObject {
  const { labels, annotations } = isObject(wanted["metadata"]) ? wanted["metadata"] : {};
  const { status, metadata } = now;
  const own = { ...(isObject(metadata) ? metadata : {}), labels, annotations };
  return { ...wanted, metadata: own, ...(status !== undefined && { status }) };
}
