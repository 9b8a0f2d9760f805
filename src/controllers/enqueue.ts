/** Handlers of informers that add objects to a queue. */

import type { WorkQueue } from "../base/queue/contract.ts";
import type { AnyObject } from "../client/contract.ts";
import type { InformerHandler } from "../client/informer/contract.ts";
import { keyOf } from "../client/informer/keys.ts";

type Changes = Required<Pick<InformerHandler<AnyObject>, "add" | "update">>;

/** Every object that is new or has changed. */
export const enqueueChanged = (queue: Pick<WorkQueue, "add">): Changes => ({
  add: (object) => queue.add(keyOf(object)),
  update: (object) => queue.add(keyOf(object)),
});

/** Deleted ones too. */
export const enqueueAll = (queue: Pick<WorkQueue, "add">): Required<Omit<InformerHandler<AnyObject>, "error">> => ({
  ...enqueueChanged(queue),
  delete: (object) => queue.add(keyOf(object)),
});
