/** Reads of the past beyond the cache: which revision a moment names, and one object as it was. */

import { type KvHistory, RevisionCompacted } from "../kv/contract.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { badRequest, expired, notFound, StatusError } from "../machinery/status/status.ts";
import { parseInstant } from "../machinery/values/time.ts";
import { readValues } from "./cache/read-values.ts";
import { unreadableError } from "./cache/unreadable.ts";
import type { Entry, ObjectRef } from "./contract/entry.ts";
import type { KeptSince, Moment } from "./contract/history.ts";
import { keyOf, pathInKey } from "./keys.ts";
import type { RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";
import { resourceOf } from "./subjects.ts";

/** The option of a range that may read what only the history keeps. */
export const inHistory = ({ notes }: RegistryServices, family: Family, revision: bigint): { readonly noted?: true } =>
  notes?.keeps(family) && revision >= (notes.since(family.id)?.revision ?? 0n) ? { noted: true } : {};

/** The revision that was the newest at a time; undefined: none is asked for. Refuses a time of which nothing is known. */
export function revisionAt(
  services: RegistryServices,
  kind: BoundKind,
  { atTime }: Moment,
): bigint | undefined | Promise<bigint> {
  if (!atTime) return undefined;
  const { history, oldest } = historyFor(services, kind);
  const instant = parseInstant(atTime);
  if (instant === undefined)
    throw badRequest(`atTime must be a time like 2026-11-18T10:00:00Z, not ${JSON.stringify(atTime.slice(0, 64))}`);
  const atMs = instant.seconds * 1_000 + Math.floor(instant.nanos / 1e6);
  if (atMs > services.clock.now()) throw badRequest(`atTime ${atTime} is in the future`);
  if (atMs < oldest.atMs) throw noLongerKept(atTime, timeText(oldest.atMs));
  const latest = (revision: bigint) => (revision < oldest.revision ? oldest.revision : revision);
  const found = history.revisionAt(atMs);
  return found instanceof Promise ? found.then(latest) : latest(found);
}

/** Says in a cause, too, when the history begins: programs ask for it. */
function noLongerKept(atTime: string, oldest: string): StatusError {
  return new StatusError(
    "Expired",
    `what was at ${atTime} is no longer kept; the oldest state that is kept is that of ${oldest}`,
    { details: { causes: [{ reason: "OldestState", message: oldest, field: "atTime" }] } },
  );
}

/** The oldest state, for the message of a read of an older one; "": no history is kept. */
export function oldestText(services: RegistryServices, family: Family): string {
  const history = services.notes?.keeps(family) ? services.kv.history?.() : undefined;
  if (history === undefined) return "";
  const { revision, atMs } = oldestOf(services, family, history);
  return `; the oldest state that is kept is resourceVersion ${revision}, of ${timeText(atMs)}`;
}

/** The object as it was after the write with that revision, or after the newest one before it. */
export async function getAt(
  services: RegistryServices,
  kind: BoundKind,
  ref: ObjectRef,
  revision: bigint,
): Promise<Entry> {
  const { family } = kind;
  const key = keyOf(family, ref);
  const options = {
    start: key,
    limit: 1,
    uncounted: true,
    damaged: true,
    ...inHistory(services, family, revision),
  } as const;
  const range = services.kv.range(key, { ...options, revision }).catch((error: unknown) => {
    if (!(error instanceof RevisionCompacted)) return translateKvErrors(error);
    throw expired(`resourceVersion ${revision} is too old${oldestText(services, family)}`);
  });
  const { entries } = await services.durations.measure("get", family, range);
  const [found] = await readValues(
    entries.filter((entry) => entry.key === key),
    services.cache.reader,
  );
  if (found === undefined) throw notFound(resourceOf(kind), ref.name);
  const path = pathInKey(family.id, key);
  if (found.read?.error !== undefined) throw unreadableError(kind, [[path, { error: found.read.error }]]);
  return services.cache.reader.entryOf(family, path, found.read!, found.revision);
}

/** The oldest state of a family that is kept. */
function oldestOf({ notes }: RegistryServices, { id }: Family, { oldest }: KvHistory): KeptSince {
  const since = notes?.since(id);
  return since !== undefined && since.revision > oldest.revision ? since : oldest;
}

function historyFor(services: RegistryServices, kind: BoundKind): { history: KvHistory; oldest: KeptSince } {
  const history = services.notes === undefined ? undefined : services.kv.history?.();
  if (history === undefined) throw badRequest("atTime: this server keeps no history; it needs --history");
  if (!services.notes?.keeps(kind.family)) throw badRequest(`atTime: the history does not keep ${kind.resource}`);
  return { history, oldest: oldestOf(services, kind.family, history) };
}

const timeText = (ms: number): string => new Date(ms).toISOString();
