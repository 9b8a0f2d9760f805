/** Deleting everything that a list shows. */

import { Turns } from "../base/turns.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Deleted, DeleteOptions, ListQuery, WriteContext } from "./contract.ts";
import type { Core } from "./core.ts";
import { deleteOne } from "./delete.ts";
import { list } from "./list.ts";

/**
 * Begins in key order, a few at a time. What somebody else deleted meanwhile is passed over; the first refusal stops what
 * has not begun and is thrown. Objects that end gracefully go one after the other, and as with the reference the period
 * of each holds for those behind it: a pod that runs nowhere takes those behind it along at once.
 */
export async function deleteCollection(
  core: Core,
  kind: BoundKind,
  query: ListQuery,
  options: DeleteOptions,
  context: WriteContext,
): Promise<readonly Deleted[]> {
  const { entries } = await list(core, kind, query);
  const results: (Deleted | undefined)[] = [];
  let next = 0;
  let refusal: { readonly error: unknown } | undefined;
  const graceful = kind.life.gracefulDeletion !== undefined;
  let effective = options;
  // A store in memory, or a dry run, never makes anybody wait; a large collection, or one of large objects, would be gone
  // before others are served.
  const turns = new Turns();
  const worker = async (): Promise<void> => {
    while (refusal === undefined && next < entries.length) {
      const index = next;
      next += 1;
      const { namespace, name } = entries[index]!;
      try {
        const deleted = await deleteOne(core, kind, { namespace, name }, effective, context, turns);
        results[index] = deleted;
        const period = graceful ? deleted.entry.object().metadata.deletionGracePeriodSeconds : undefined;
        if (period !== undefined) effective = { ...options, gracePeriodSeconds: period };
      } catch (error) {
        if (error instanceof StatusError && error.reason === "NotFound") continue;
        refusal ??= { error };
      }
    }
  };
  const atOnce = graceful ? 1 : Math.min(core.limits.deletesAtOnceMax, entries.length);
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (refusal !== undefined) throw refusal.error;
  return results.filter((result) => result !== undefined);
}
