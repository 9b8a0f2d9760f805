/** Why an object that was deleted is still there, or would be. */

import { type Json, part, parts, text } from "../server/json.ts";

interface Blocker {
  /** The finalizer, or the condition that says it; "": neither. */
  readonly name: string;
  readonly why: string;
}

/** `plural`: the resource of the object. */
export function blockersOf(object: Json, plural: string, nowMs: number): readonly Blocker[] {
  const deletedMs = Date.parse(text(object, "metadata", "deletionTimestamp")) || 0;
  const found = [
    ...listed(part(object, "metadata")["finalizers"]).map((name) => ({ name, why: whyFinalizer(name) })),
    ...(plural === "namespaces" ? namespaceBlockers(object) : []),
  ];
  if (deletedMs === 0) return found;
  if (deletedMs > nowMs)
    found.push({ name: "", why: `Its grace period ends in ${Math.ceil((deletedMs - nowMs) / 1_000)} s.` });
  else if (plural === "pods" && text(object, "spec", "nodeName") !== "")
    found.push({
      name: "",
      why: `The node ${text(object, "spec", "nodeName")} has not reported yet that its containers have ended.`,
    });
  return found;
}

const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function whyFinalizer(name: string): string {
  if (name === "foregroundDeletion") return "Its dependents that block it must be gone first.";
  if (name === "orphan") return "The garbage collector releases its dependents first.";
  if (name.endsWith("/pvc-protection")) return "A pod may still use the claim.";
  if (name.endsWith("/pv-protection")) return "A claim may still be bound to the volume.";
  return "The program that uses this finalizer must remove it.";
}

/** A namespace says in its conditions what is left in it. */
function namespaceBlockers(object: Json): readonly Blocker[] {
  const isDeleted = text(object, "metadata", "deletionTimestamp") !== "";
  const own = listed(part(object, "spec")["finalizers"]).map((name) => ({
    name,
    why: "All objects in the namespace must be gone first.",
  }));
  const told = parts(object, "status", "conditions")
    .filter((condition) => text(condition, "status") === "True")
    .map((condition) => ({ name: text(condition, "type"), why: text(condition, "message") }));
  return isDeleted ? [...own, ...told] : own;
}
