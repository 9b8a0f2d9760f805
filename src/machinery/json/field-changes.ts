/** Which fields differ between two states of an object. */

/** Fields that are listed for one change; more are counted. */
export const changedFieldsMax = 200;
/** Longer values are cut off. */
export const changedValueCharsMax = 2_000;

interface FieldChange {
  readonly path: string;
  readonly old?: string;
  readonly new?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** `undefined`: the object was not there. Managed fields are books about the others, and left out. */
export function fieldChanges(
  before: Json | undefined,
  after: Json | undefined,
): { readonly fields: FieldChange[]; readonly more: number } {
  const found: FieldChange[] = [];
  let more = 0;
  const note: OnChange = (place, old, now) => {
    if (found.length >= changedFieldsMax) more += 1;
    else
      found.push({
        path: pathOf(place),
        ...(old !== undefined && { old: shown(old) }),
        ...(now !== undefined && { new: shown(now) }),
      });
  };
  compare(undefined, withoutBooks(before), withoutBooks(after), note);
  return { fields: found, more };
}

function withoutBooks(object: Json | undefined): Json | undefined {
  if (!isObject(object?.["metadata"])) return object;
  const { managedFields: _books, ...metadata } = object["metadata"];
  return { ...object, metadata };
}

/** Where a value is, as the way to it: nearly all are the same, and need no path. Undefined: the object itself. */
interface Place {
  readonly above: Place | undefined;
  readonly key: string;
  readonly isItem: boolean;
}

type OnChange = (place: Place | undefined, old: unknown, now: unknown) => void;

function pathOf(place: Place | undefined): string {
  if (place === undefined) return "";
  const above = pathOf(place.above);
  return place.isItem ? `${above}[name=${place.key}]` : memberPath(above, place.key);
}

function compare(place: Place | undefined, old: unknown, now: unknown, note: OnChange): void {
  if (isObject(old) && isObject(now)) {
    // What is below is compared once: to ask first whether it differs would read all of it again on each level.
    for (const key of Object.keys(old)) {
      const [was, is] = [old[key], own(now, key)];
      if (was !== is) compare({ above: place, key, isItem: false }, was, is, note);
    }
    for (const key of Object.keys(now))
      if (!Object.hasOwn(old, key)) compare({ above: place, key, isItem: false }, undefined, now[key], note);
    return;
  }
  const [olds, nows] = [byName(old), byName(now)];
  if (olds !== undefined && nows !== undefined) {
    for (const name of new Set([...olds.keys(), ...nows.keys()]))
      compare({ above: place, key: name, isItem: true }, olds.get(name), nows.get(name), note);
    return;
  }
  if (!isSame(old, now)) note(place, old, now);
}

/** Not what every object inherits: `constructor` is a name like others. */
const own = (object: Json, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** Most of an object is as it was: that is found without a text of either. The order of members counts, as it did in the request. */
function isSame(old: unknown, now: unknown): boolean {
  if (old === now) return true;
  if (typeof old !== "object" || typeof now !== "object" || old === null || now === null) return false;
  if (Array.isArray(old) || Array.isArray(now))
    return (
      Array.isArray(old) &&
      Array.isArray(now) &&
      old.length === now.length &&
      old.every((item, index) => isSame(item, now[index]))
    );
  const [olds, nows] = [Object.keys(old), Object.keys(now)];
  return (
    olds.length === nows.length &&
    olds.every((key, index) => key === nows[index] && isSame((old as Json)[key], (now as Json)[key]))
  );
}

/** "spec.replicas", "metadata.labels['a/b']". */
export const memberPath = (path: string, key: string): string =>
  !/^[\w-]+$/.test(key) ? `${path}['${key}']` : path === "" ? key : `${path}.${key}`;

/** The items of a list in which each has a name of its own; undefined: it is another list, or none. */
function byName(value: unknown): Map<string, unknown> | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = new Map<string, unknown>();
  for (const item of value) {
    const name: unknown = isObject(item) ? item["name"] : undefined;
    if (typeof name !== "string" || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > changedValueCharsMax ? `${text.slice(0, changedValueCharsMax)}…` : text;
}
