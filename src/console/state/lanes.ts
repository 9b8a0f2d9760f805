/** An object and what it owns, or owned, as lanes of a picture of time: when each was there, and when it was changed. */

import { type Json, parts, text } from "../server/json.ts";
import { groupedBy } from "./grouped.ts";

interface LaneMark {
  readonly atMs: number;
  readonly operation: "create" | "update" | "delete";
  readonly by: string;
}

export interface Lane {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  /** How deep below the object it is. */
  readonly depth: number;
  /** Undefined: it was there before what is known. */
  readonly fromMs: number | undefined;
  /** Undefined: it is still there. */
  readonly toMs: number | undefined;
  readonly marks: readonly LaneMark[];
}

export interface OwnedObject {
  readonly uid: string;
  readonly ownerUids: readonly string[];
}

/** More are counted. */
export const lanesMax = 40;

export function lanesOf(object: Json, changes: readonly Json[], owned: readonly OwnedObject[]): readonly Lane[] {
  const ownersOf = new Map<string, readonly string[]>(owned.map(({ uid, ownerUids }) => [uid, ownerUids]));
  const byUid = groupedBy(changes, (change) => text(change, "object", "uid"));
  for (const [uid, ofOne] of byUid) {
    const whole = ofOne.find((change) => /^(create|delete)$/.test(text(change, "operation")));
    if (whole !== undefined && !ownersOf.has(uid)) ownersOf.set(uid, namedOwners(whole));
  }
  const lanes: Lane[] = [];
  const add = (uid: string, depth: number) => {
    if (lanes.some((lane) => lane.uid === uid)) return;
    const lane = laneOf(uid, depth, byUid.get(uid) ?? []);
    // What never changed in the time that is known has no name here.
    if (lane.name !== "" || depth === 0)
      lanes.push(depth === 0 ? { ...lane, kind: text(object, "kind"), name: text(object, "metadata", "name") } : lane);
    const below = [...ownersOf].filter(([, owners]) => owners.includes(uid)).map(([one]) => one);
    const startOf = (one: string) => text((byUid.get(one) ?? []).at(-1), "metadata", "creationTimestamp");
    for (const one of below.sort((a, b) => startOf(a).localeCompare(startOf(b)))) add(one, depth + 1);
  };
  add(text(object, "metadata", "uid"), 0);
  return lanes;
}

/** `changes`: those of one object, the newest first. */
function laneOf(uid: string, depth: number, changes: readonly Json[]): Lane {
  const marks = changes.map((change) => ({
    atMs: Date.parse(text(change, "metadata", "creationTimestamp")) || 0,
    operation: operationOf(text(change, "operation")),
    by: text(change, "manager") || text(change, "user"),
  }));
  return {
    uid,
    depth,
    kind: text(changes[0], "object", "kind"),
    name: text(changes[0], "object", "name"),
    fromMs: marks.find(({ operation }) => operation === "create")?.atMs,
    toMs: marks.find(({ operation }) => operation === "delete")?.atMs,
    marks,
  };
}

const operationOf = (operation: string): LaneMark["operation"] =>
  operation === "create" || operation === "delete" ? operation : "update";

/** The owners that the whole object names. Its text may be cut; owners stand near its beginning. */
function namedOwners(change: Json): readonly string[] {
  const whole = parts(change, "fields").find((field) => text(field, "path") === "");
  const [, list = ""] = /"ownerReferences":\[(.*?)\]/.exec(text(whole, "new") || text(whole, "old")) ?? [];
  return [...list.matchAll(/"uid":"([^"]+)"/g)].map(([, uid = ""]) => uid);
}
