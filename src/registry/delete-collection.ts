/** Deletes everything that a list returns. */

import { createSpread } from "../base/spread.ts";
import { TimeSlice } from "../base/time-slice.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { badRequest, StatusError } from "../machinery/status/status.ts";
import type { Deleted, DeletedCollection, RegistryDeleteOptions, RegistryListQuery } from "./contract/registry.ts";
import type { WriteContext } from "./contract/write-context.ts";
import { deleteOne } from "./delete.ts";
import type { CollectionDeletion } from "./delete-steps.ts";
import { list } from "./list.ts";
import type { RegistryServices } from "./services.ts";

/** Deletes of collections that begin in one turn of the event loop: each reads its object. */
export const deletesBegunMax = 64;

const beginDelete = createSpread(deletesBegunMax);

/**
 * Starts in key order, a few at a time. Objects that another client deleted meanwhile are skipped; the first refusal stops what
 * has not started and is thrown. Before 1.24 objects with graceful deletion are deleted one after the other, since the period of each applies
 * to those after it: after a pod that is not on a node, the following ones are removed at once too. Since then each has its own period.
 */
export async function deleteCollection(
  services: RegistryServices,
  kind: BoundKind,
  query: RegistryListQuery,
  options: RegistryDeleteOptions,
  context: WriteContext,
): Promise<DeletedCollection> {
  if (query.atTime) throw badRequest("atTime is for reads: a delete is of what there is now");
  const { entries, continue: rest, remainingItemCount } = await list(services, kind, query);
  const results: (Deleted | undefined)[] = [];
  let next = 0;
  let refusal: { readonly error: unknown } | undefined;
  const graceful = kind.strategy.gracefulDeletion !== undefined;
  const sharesPeriod = graceful && kind.family.environment.has("sharedGracePeriod");
  let effective = options;
  // A store in memory, or a dry run, never yields; a large collection, or one of large objects, would be deleted
  // before other requests are served.
  const collection = createCollection(new TimeSlice());
  const worker = async (): Promise<void> => {
    while (refusal === undefined && next < entries.length) {
      const index = next;
      next += 1;
      const { namespace, name } = entries[index]!;
      const turn = beginDelete();
      if (turn !== undefined) await turn;
      try {
        const deleted = await deleteOne(services, kind, { namespace, name }, effective, context, collection);
        results[index] = deleted;
        const period = sharesPeriod ? deleted.entry.object().metadata.deletionGracePeriodSeconds : undefined;
        if (period !== undefined) effective = { ...options, gracePeriodSeconds: period };
      } catch (error) {
        if (error instanceof Spared || isMissing(error)) continue;
        refusal ??= { error };
      }
    }
  };
  const atOnce = sharesPeriod ? 1 : Math.min(services.limits.deletesAtOnceMax, entries.length);
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (refusal !== undefined) throw refusal.error;
  return { deleted: results.filter((result) => result !== undefined), continue: rest, remainingItemCount };
}

/** An earlier delete was refused before this one was checked. */
class Spared extends Error {}

const isMissing = (error: unknown) => error instanceof StatusError && error.reason === "NotFound";

/** Plugins check the deletes in order, and none after a refusal; admitted objects are deleted meanwhile. */
function createCollection(slice: TimeSlice): CollectionDeletion {
  let last: Promise<void> | undefined;
  let isRefused = false;
  const ask = (admit: () => void | Promise<void>): void | Promise<void> => {
    if (isRefused) throw new Spared();
    try {
      const pending = admit();
      return pending instanceof Promise ? pending.catch(refused) : pending;
    } catch (error) {
      return refused(error);
    }
  };
  const refused = (error: unknown): never => {
    isRefused ||= !isMissing(error);
    throw error;
  };
  const queue = (pending: Promise<void>): Promise<void> => {
    const end: Promise<void> = pending.then(done, done);
    function done(): void {
      if (last === end) last = undefined;
    }
    last = end;
    return pending;
  };
  return {
    slice,
    inOrder(admit) {
      if (last !== undefined) return queue(last.then(() => ask(admit)));
      const pending = ask(admit);
      return pending instanceof Promise ? queue(pending) : pending;
    },
  };
}
