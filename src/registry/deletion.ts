/** What a delete does to an object: the rules of grace periods, finalizers and propagation, without a store. */

import { copyJson, setOwn } from "../machinery/json/json-value.ts";
import { foregroundFinalizer, nextGeneration, orphanFinalizer } from "../machinery/meta/metadata.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { RegistryDeleteOptions } from "./contract/registry.ts";
import { timestamp } from "./metadata.ts";

export type DeletionPlan =
  /** Nothing holds the object: it is removed. */
  | { readonly step: "remove" }
  /** It is already terminating, and this delete changes nothing. */
  | { readonly step: "leave" }
  /** It becomes `next`, and is removed right after that if `thenRemove`. */
  | { readonly step: "mark"; readonly next: ApiObject; readonly thenRemove: boolean };

interface DeletionRequest {
  /** The version through which it is deleted. */
  readonly kind: BoundKind;
  /** An object of the hub version, frozen. */
  readonly object: ApiObject;
  readonly options: RegistryDeleteOptions;
  readonly nowMs: number;
}

export function planDeletion(deletion: DeletionRequest): DeletionPlan {
  const { kind, object } = deletion;
  const { strategy } = kind;
  if (strategy.beginDeletion !== undefined) {
    if (!object.metadata.deletionTimestamp) return begin(deletion);
    if (strategy.keepTerminating?.(object)) return { step: "leave" };
  }
  const next = markable(object);
  const grace = strategy.gracefulDeletion === undefined ? undefined : shortenGrace(deletion, next);
  if (grace === "pending") return { step: "leave" };
  next.metadata.finalizers = finalizersFor(deletion);
  const held = next.metadata.finalizers.length > 0;
  if (!held) delete next.metadata.finalizers;
  if (grace !== undefined) return { step: "mark", next, thenRemove: grace <= 0 && !held };
  if (!held) return { step: "remove" };
  mark(next, deletion.nowMs, 0);
  return { step: "mark", next, thenRemove: false };
}

/** A copy whose metadata gets other members: a deletion changes nothing else, and the rest may be large. */
function markable(object: ApiObject): ApiObject {
  const next = membersOf(object) as ApiObject;
  next.metadata = membersOf(object.metadata) as ApiObject["metadata"];
  return next;
}

/** Not a spread, which would make a hidden class for each object. */
function membersOf<T extends object>(source: T): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name in source) setOwn(members, name, source[name]);
  return members;
}

/** A kind that is always deleted in two steps: the mark has no grace period, and its own hook says what else changes. */
function begin(deletion: DeletionRequest): DeletionPlan {
  const { kind, object, nowMs } = deletion;
  const next = markable(object);
  if (object["status"] !== undefined) next["status"] = copyJson(object["status"]);
  next.metadata.deletionTimestamp = timestamp(nowMs);
  const finalizers = finalizersFor(deletion);
  if (finalizers.length > 0) next.metadata.finalizers = finalizers;
  else delete next.metadata.finalizers;
  kind.strategy.beginDeletion?.(next, kind.family.environment);
  return { step: "mark", next, thenRemove: false };
}

/**
 * Sets when a graceful deletion ends. Undefined: it was marked without a period. Pending: it is in progress and cannot be made
 * longer. A period may only become shorter.
 */
function shortenGrace(
  { kind, object, options, nowMs }: DeletionRequest,
  next: ApiObject,
): number | "pending" | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = object.metadata;
  if (deletionTimestamp) {
    if (before === undefined) return undefined;
    const { gracePeriodSeconds: wanted } = options;
    if (wanted === undefined) return "pending";
    const seconds = gracePeriod(kind, wanted);
    if (seconds >= before) return "pending";
    // Unknown if the period exceeded the range of times.
    const begunMs = Math.max(0, Date.parse(deletionTimestamp) - Number(before) * 1_000) || nowMs;
    next.metadata.deletionTimestamp = timestamp(within(begunMs + seconds * 1_000));
    next.metadata.deletionGracePeriodSeconds = seconds;
    return seconds;
  }
  const { strategy, family } = kind;
  const wanted = strategy.gracefulDeletion?.graceSeconds(object, options.gracePeriodSeconds, family.environment) ?? 0;
  const seconds = gracePeriod(kind, wanted);
  mark(next, within(nowMs + seconds * 1_000), seconds);
  return seconds;
}

/**
 * Since 1.22 a negative period means one second. Before, the object is marked with it and removed at once. Numbers too large for exact
 * arithmetic, which objects may contain, become the largest safe one.
 */
export function gracePeriod({ family }: BoundKind, wanted: number): number {
  const seconds = Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(wanted), Number.MAX_SAFE_INTEGER));
  return seconds < 0 && family.environment.has("leastGracePeriod") ? 1 : seconds;
}

/** The nearest moment that a timestamp can express. */
const within = (ms: number): number => Math.max(0, Math.min(ms, endsMsMax));
const endsMsMax = Date.parse("9999-12-31T23:59:59Z");

/** An object that begins to terminate behaves differently from then on, so its generation grows. */
function mark(next: ApiObject, endsMs: number, seconds: number): void {
  const { metadata } = next;
  if (!metadata.deletionTimestamp && (metadata.generation ?? 0) > 0)
    metadata.generation = nextGeneration(metadata.generation);
  if (!metadata.deletionTimestamp || Date.parse(metadata.deletionTimestamp) > endsMs) {
    metadata.deletionTimestamp = timestamp(endsMs);
  }
  metadata.deletionGracePeriodSeconds = seconds;
}

/** The finalizers the object has, with the two that express a propagation policy set as the delete requests. */
function finalizersFor(deletion: DeletionRequest): string[] {
  const policy = propagation(deletion);
  const given = deletion.object.metadata.finalizers ?? [];
  const wanted = given.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (policy === "Orphan") wanted.push(orphanFinalizer);
  if (policy === "Foreground") wanted.push(foregroundFinalizer);
  // Where nothing is to be added or removed, their order stays.
  return sameItems(given, wanted) ? [...given] : wanted;
}

function sameItems(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && some.every((item) => other.has(item));
}

/** The request decides, then the object's finalizers, then the kind's default. */
function propagation({ object, options, kind }: DeletionRequest): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  for (const finalizer of object.metadata.finalizers ?? []) {
    if (finalizer === orphanFinalizer) return "Orphan";
    if (finalizer === foregroundFinalizer) return "Foreground";
  }
  return kind.compat.orphansByDefault ? "Orphan" : "Background";
}
