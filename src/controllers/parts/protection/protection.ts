/** Keeps a finalizer on objects, and removes it from terminating ones that are not in use. */

import type { WorkQueue } from "../../../base/queue/contract.ts";
import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import type { Kind } from "../../../machinery/schema/kind.ts";
import type { ControllerContext } from "../../contract.ts";
import { update } from "../../plan.ts";

interface ProtectionOptions<T> {
  readonly finalizer: string;
  isUsed(object: T): boolean;
  /** Reads the server before the finalizer is removed, because a stale cache would lose data. */
  isUsedNow?(object: T): Promise<boolean>;
  /** The informers that `isUsed` reads must be synced too. */
  readonly after?: readonly { readonly synced: Promise<void> }[];
}

/** The desired finalizers; undefined: nothing changes. */
export function protectedFinalizers<T extends AnyObject>(
  { metadata: { finalizers = [], deletionTimestamp } }: T,
  finalizer: string,
  isUsed: () => boolean,
): readonly string[] | undefined {
  const has = finalizers.includes(finalizer);
  if (!deletionTimestamp) return has ? undefined : [...finalizers, finalizer];
  return has && !isUsed() ? finalizers.filter((each) => each !== finalizer) : undefined;
}

export function protectionOf<T extends AnyObject>(
  context: ControllerContext,
  kind: Kind<T>,
  informer: Informer<T>,
  { finalizer, isUsed, isUsedNow, after = [] }: ProtectionOptions<T>,
): WorkQueue {
  const queue = context.queue({
    workers: 1,
    after: [informer, ...after],
    async sync(key) {
      const object = informer.get(key);
      const finalizers = object && protectedFinalizers(object, finalizer, () => isUsed(object));
      if (object === undefined || finalizers === undefined) return;
      const isRemoved = object.metadata.deletionTimestamp !== undefined;
      if (isRemoved && (await isUsedNow?.(object))) return;
      const metadata = { ...object.metadata, finalizers: [...finalizers] };
      return { writes: [update(kind, { ...object, metadata }, { tolerates: ["NotFound"] })] };
    },
  });
  informer.on({ add: (object) => queue.add(keyOf(object)), update: (object) => queue.add(keyOf(object)) });
  return queue;
}
