/** Waits until an object is as a test expects it; a wait in vain says what was seen last and who still works. */

import { didYouMean } from "../base/suggest.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { ObjectRef } from "../registry/contract/entry.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { Patience } from "./patience.ts";
import { quiet, retriers, type Workplace, workers } from "./settle.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface UntilOptions {
  /** Default: "default"; not used for cluster-wide kinds. */
  readonly namespace?: string;
  /** In real time, without that in which other programs had the processor. Default: 5 s. */
  readonly timeoutMs?: number;
}

const untilMsDefault = 5_000;
/** Longer objects are cut off in the message. */
const shownCharsMax = 2_000;

interface UntilParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly place: Workplace;
  readonly clock: VirtualClock | undefined;
}

interface Wanted<T> {
  readonly kind: BoundKind;
  readonly ref: ObjectRef;
  /** Undefined: the object does not exist. */
  isSo(object: T | undefined): boolean;
}

/** What all objects have, declared by us or by a program. */
export type AnObject = Pick<ApiObject, "metadata">;

/** A kind by its names, in orch's words: `kinds` of "orch", the kinds of "orch/client", and what `defineResource` returns. */
export interface NamedKind<T = AnObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Only for the type checker; never set. */
  readonly static?: T;
}

const isDeclared = (kind: NamedKind): kind is Kind => "schema" in kind;

/** The kind of a declaration, of its names, or of a text such as "Pod", "pods", "deployments.apps" or "example.com/v1/Toy". Throws if there is none. */
export function findKind(catalog: Catalog, kind: NamedKind | string): BoundKind {
  if (typeof kind !== "string") {
    if (isDeclared(kind)) return catalog.of(kind);
    const group = catalog.environment.vocabulary.group(kind.group);
    return findKind(catalog, `${group === "" ? "" : `${group}/`}${kind.version}/${kind.kind}`);
  }
  const named = (bound: BoundKind) =>
    [
      bound.kind,
      bound.resource,
      `${bound.resource}.${bound.group}`,
      `${bound.apiVersion}/${bound.kind}`,
      `${bound.apiVersion}/${bound.resource}`,
    ].includes(kind);
  for (const { group, versions } of catalog.groups())
    for (const version of versions) {
      const found = catalog.ofGroupVersion(group, version).find(named);
      if (found !== undefined) return found;
    }
  throw new Error(`the server has no kind "${kind}"${didYouMean(kind, namesOf(catalog))}`);
}

/** Every kind and resource by its plain name. */
function* namesOf(catalog: Catalog): Iterable<string> {
  for (const { group, versions } of catalog.groups())
    for (const version of versions)
      for (const { kind, resource } of catalog.ofGroupVersion(group, version)) yield* [kind, resource];
}

/** Resolves with the object, a copy; undefined: it does not exist. */
export async function until<T extends AnObject>(
  { registry, place, clock }: UntilParts,
  { kind, ref, isSo }: Wanted<T>,
  timeoutMs = untilMsDefault,
): Promise<T | undefined> {
  let changed = () => {};
  const stop = registry.observe(kind, () => changed());
  const patience = new Patience(timeoutMs);
  let seen: T | undefined;
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => {
        changed = resolve;
      });
      seen = await read<T>(registry, kind, ref);
      if (isSo(seen)) return seen === undefined ? undefined : structuredClone(seen);
      const leftMs = patience.leftMs();
      if (leftMs <= 0) break;
      if (clock !== undefined && (await quiet(place)) && retriers(place).length > 0) clock.runNext();
      else await within(change, clock === undefined ? leftMs : Math.min(leftMs, lookAgainMs));
    }
  } finally {
    stop();
  }
  const where = ref.namespace === "" ? "" : ` in "${ref.namespace}"`;
  const who = [...workers(place), ...retriers(place)].join("; ") || "nothing";
  throw new Error(
    `waited ${timeoutMs} ms in vain for ${kind.resource} "${ref.name}"${where}; still at work: ${who}; last seen: ${shown(seen)}`,
  );
}

/** With a virtual clock, a failure that is to be tried again causes no change, so it is looked for. */
const lookAgainMs = 20;

async function read<T extends AnObject>(registry: Registry, kind: BoundKind, ref: ObjectRef): Promise<T | undefined> {
  try {
    return (await registry.read(kind, ref)) as T; // the caller names the type with the kind
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

function shown(object: AnObject | undefined): string {
  if (object === undefined) return "it does not exist";
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  const text = JSON.stringify({ ...object, metadata });
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)} ...` : text;
}

async function within(change: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([change, late]);
  clearTimeout(timer);
}
