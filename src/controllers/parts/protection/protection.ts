/** Keeps a finalizer on objects, and removes it from terminating ones that are not in use. */

import type { WorkQueue } from "../../../base/queue/contract.ts";
import type { AnyObject } from "../../../client/contract.ts";
import type { Informer } from "../../../client/informer/contract.ts";
import { keyOf } from "../../../client/informer/keys.ts";
import type { Kind } from "../../../machinery/schema/kind.ts";
import type { ControllerContext } from "../../contract.ts";
import { type ListRequest, type Results, update } from "../../plan.ts";

interface ProtectionOptions<T, U extends AnyObject> {
  readonly finalizer: string;
  isUsed(object: T): boolean;
  /** Which objects of its namespace use it: the server is asked before the finalizer is removed, because a stale cache would lose data. */
  readonly users?: { readonly kind: Kind<U>; uses(user: U, object: T): boolean };
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

export function protectionOf<T extends AnyObject, U extends AnyObject = AnyObject>(
  context: ControllerContext,
  kind: Kind<T>,
  informer: Informer<T>,
  { finalizer, isUsed, users, after = [] }: ProtectionOptions<T, U>,
): WorkQueue {
  const queue = context.queue({
    workers: 1,
    after: [informer, ...after],
    sync(key) {
      const object = informer.get(key);
      const finalizers = object && protectedFinalizers(object, finalizer, () => isUsed(object));
      if (object === undefined || finalizers === undefined) return;
      const metadata = { ...object.metadata, finalizers: [...finalizers] };
      const plan = { writes: [update(kind, { ...object, metadata }, { tolerates: ["NotFound"] })] };
      if (users === undefined || object.metadata.deletionTimestamp === undefined) return plan;
      const present: ListRequest<U> = { kind: users.kind, namespace: object.metadata.namespace ?? "" };
      const isFree = (done: Results) => !done.listed(present).some((user) => users.uses(user, object));
      return { lists: [present], next: (done) => (isFree(done) ? plan : undefined) };
    },
  });
  informer.on({ add: (object) => queue.add(keyOf(object)), update: (object) => queue.add(keyOf(object)) });
  return queue;
}
