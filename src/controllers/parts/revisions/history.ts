/** Revisions of a template: the current one of an owner, the one of a pod, and those that are no longer needed. */

import type { ControllerRevision } from "../../../api/apps/v1/controller-revision.ts";
import type { PodTemplateSpec } from "../../../api/core/v1/pod/spec.ts";
import { keyOrder } from "../../../base/key-order.ts";
import { isObject, sameJson, setOwn } from "../../../machinery/json/json-value.ts";
import { compareInt64, nextInt64 } from "../../../machinery/values/integer.ts";
import { timeMs } from "../pods/state.ts";

/** On pods: the revision that they were created from. */
export const podRevisionLabel = "controller-revision-hash";

/**
 * The data of a revision: a patch that restores the whole template. It becomes the very bytes that the reference's controllers write, so that
 * sets can change hands without a restart of their pods: members are sorted, and numbers are those of 64-bit floating point.
 */
export function revisionData(template: PodTemplateSpec | undefined): unknown {
  return inOrder({ spec: { template: { ...template, $patch: "replace" } } });
}

function inOrder(value: unknown): unknown {
  if (typeof value === "bigint") return BigInt(String(Number(value)));
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  if (!isSorted(names)) names.sort((a, b) => (keyOrder(a) < keyOrder(b) ? -1 : 1));
  const sorted: Record<string, unknown> = {};
  for (const name of names) if (value[name] !== undefined) setOwn(sorted, name, inOrder(value[name]));
  return sorted;
}

function isSorted(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) if (keyOrder(names[at - 1]!) > keyOrder(names[at]!)) return false;
  return true;
}

/** The template of a revision; undefined: its data is not a template. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = isObject(data) ? data["spec"] : undefined;
  const template = isObject(spec) ? spec["template"] : undefined;
  if (!isObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest as PodTemplateSpec; // what revisionData has put there
}

/** Without texts of them: a template may have a megabyte, and each of its revisions is compared with it. */
export const sameData = (revision: ControllerRevision, data: unknown): boolean => sameJson(revision.data, data);

/** Oldest first. */
export function sortRevisions(revisions: readonly ControllerRevision[]): ControllerRevision[] {
  const createdMs = ({ metadata }: ControllerRevision) => timeMs(metadata.creationTimestamp) ?? 0;
  const nameOf = ({ metadata }: ControllerRevision) => metadata.name ?? "";
  return [...revisions].sort(
    (a, b) => compareInt64(a.revision, b.revision) || createdMs(a) - createdMs(b) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
}

/** `sorted`: oldest first. */
export const nextRevision = (sorted: readonly ControllerRevision[]): number => nextInt64(sorted.at(-1)?.revision ?? 0);

type RevisionPlan =
  /** The newest one has the template. */
  | { readonly action: "keep"; readonly revision: ControllerRevision }
  /** An older one has it: it becomes the newest. */
  | { readonly action: "raise"; readonly revision: ControllerRevision }
  | { readonly action: "create"; readonly number: number };

export function planRevision(sorted: readonly ControllerRevision[], data: unknown): RevisionPlan {
  const equal = sorted.findLast((revision) => sameData(revision, data));
  if (equal === undefined) return { action: "create", number: nextRevision(sorted) };
  if (equal === sorted.at(-1)) return { action: "keep", revision: equal };
  return { action: "raise", revision: { ...equal, revision: nextRevision(sorted) } };
}

/** The oldest ones that nothing uses, beyond those that are kept for a rollback. */
export function surplusRevisions(
  sorted: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): ControllerRevision[] {
  const unused = sorted.filter(({ metadata }) => !inUse.has(metadata.name ?? ""));
  return unused.slice(0, Math.max(0, unused.length - limit));
}
