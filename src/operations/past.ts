/** Making an object what it was: what of it a person writes, and how one change is taken back. */

import { isObject, type JsonObject, setOwn } from "../machinery/json/json-value.ts";
import { cleaned } from "./cleaned.ts";

type Json = Readonly<JsonObject>;

/** The revision before that of a change, which names it. */
export const revisionBefore = (change: string): string => `${BigInt(change.split("-")[0] || 0) - 1n}`;

/** The object as it is, with what a person writes of it as it was. */
export const restored = (now: Json, past: Json): JsonObject => merged(now, writtenOf(past));

/**
 * The object as it is, with one field as it was, or without it if it was not there. `path` is as changes name it:
 * "spec.template.spec.containers[name=web].image", "metadata.labels['a/b']". Undefined: it is no path of either.
 */
export function withFieldOf(now: Json, past: Json, path: string): JsonObject | undefined {
  const steps = readPath(path);
  return steps && (withStep(now, past, steps) as JsonObject | undefined);
}

/** A member of an object, or the item of a list with that name. */
type Step = { readonly member: string } | { readonly item: string };

function readPath(path: string): Step[] | undefined {
  const step = /\.?([\w-]+)|\['([^']*)'\]|\[name=([^\]]+)\]/y;
  const steps: Step[] = [];
  while (step.lastIndex < path.length) {
    const [, word, quoted, item] = step.exec(path) ?? [];
    const member = word ?? quoted;
    if (member === undefined && item === undefined) return undefined;
    steps.push(member === undefined ? { item: item! } : { member });
  }
  return steps.length === 0 ? undefined : steps;
}

/** Undefined: the way to the value is in neither. */
function withStep(now: unknown, past: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (step === undefined) return past;
  if ("item" in step) {
    const items = Array.isArray(now) ? now : [];
    const at = items.findIndex((one) => isObject(one) && one["name"] === step.item);
    const was = Array.isArray(past) ? past.find((one) => isObject(one) && one["name"] === step.item) : undefined;
    if (at < 0 && was === undefined) return undefined;
    const is = withStep(items[at], was, rest);
    if (is === undefined && rest.length > 0) return undefined;
    const others = is === undefined ? [] : [is];
    return at < 0 ? [...items, ...others] : [...items.slice(0, at), ...others, ...items.slice(at + 1)];
  }
  const { member } = step;
  const own = (value: unknown): unknown =>
    isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  const [is, was] = [own(now), own(past)];
  if (is === undefined && was === undefined) return undefined;
  const value = withStep(is, was, rest);
  if (value === undefined && rest.length > 0) return undefined;
  const result: JsonObject = {};
  for (const [key, one] of Object.entries(isObject(now) ? now : {})) if (key !== member) setOwn(result, key, one);
  if (value !== undefined) setOwn(result, member, value);
  return result;
}

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
  if (Array.isArray(before) && Array.isArray(after) && Array.isArray(now)) {
    const key = keyOfItems(before, after, now);
    if (key !== undefined) return takeBackItems({ before, after, now }, { key, path, conflicts });
  }
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

/** What tells the items of a list apart, in the order in which it is tried: the names of containers, the paths of their volumes, … */
const itemKeys = ["name", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "key", "type"];

/** The member that all items of these lists have, each another value; undefined: the lists are changed as a whole. */
function keyOfItems(...lists: readonly (readonly unknown[])[]): string | undefined {
  const isKeyOf = (key: string, items: readonly unknown[]): boolean => {
    const values = items.map((item) => (isObject(item) ? item[key] : undefined));
    return values.every(isKeyValue) && new Set(values).size === items.length;
  };
  return itemKeys.find((key) => lists.every((items) => isKeyOf(key, items)));
}

const isKeyValue = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

interface ListChange {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  readonly now: readonly unknown[];
}

/** Item by item, in the order that there is now; what comes back is where it was, among those that were before it. */
function takeBackItems(
  { before, after, now }: ListChange,
  { key, path, conflicts }: { readonly key: string; readonly path: string; readonly conflicts: string[] },
): unknown[] {
  const byKey = (items: readonly unknown[]) => new Map(items.map((item) => [(item as Json)[key], item]));
  const [old, given, current] = [byKey(before), byKey(after), byKey(now)];
  // Those that both have, in their order before if only the change has moved them.
  const order = [...(isSameOrder(after, now, key) ? before : now).map((item) => (item as Json)[key])];
  const all = [...order, ...[...current.keys()].filter((one) => !order.includes(one))];
  for (const [at, one] of [...old.keys()].entries()) {
    if (all.includes(one)) continue;
    const follows = [...old.keys()].slice(0, at).findLast((earlier) => all.includes(earlier));
    all.splice(follows === undefined ? 0 : all.indexOf(follows) + 1, 0, one);
  }
  const result: unknown[] = [];
  for (const one of all) {
    const value = takeBack(old.get(one), given.get(one), current.get(one), `${path}[${key}=${String(one)}]`, conflicts);
    if (value !== undefined) result.push(value);
  }
  return result;
}

const isSameOrder = (a: readonly unknown[], b: readonly unknown[], key: string): boolean =>
  JSON.stringify(a.map((item) => (item as Json)[key])) === JSON.stringify(b.map((item) => (item as Json)[key]));

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
