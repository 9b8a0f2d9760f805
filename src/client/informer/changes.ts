/** The changes of an informer as a stream. A slow reader gets fewer, not older ones: what happens to one object meanwhile is one change. */

import type { AnyObject } from "../contract.ts";
import type { Informer, ObjectChange } from "./contract.ts";
import type { ObjectKeys } from "./keys.ts";

interface ChangeSource<T extends AnyObject> extends Pick<Informer<T>, "on"> {
  readonly keyOf: ObjectKeys["object"];
  /** Aborts when nothing follows any more, with an error as its reason where the server refused the question. */
  readonly ended: AbortSignal;
}

export async function* changesOf<T extends AnyObject>(
  source: ChangeSource<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectChange<T>> {
  const waiting = new Map<string, ObjectChange<T>[]>();
  let wake = () => {};
  const note = (change: ObjectChange<T>) => {
    const key = source.keyOf(change.object);
    const merged = merge(waiting.get(key) ?? [], change);
    if (merged.length === 0) waiting.delete(key);
    else waiting.set(key, merged);
    wake();
  };
  const stop = () => wake();
  const off = source.on({
    add: (object) => note({ type: "add", object }),
    update: (object, old) => note({ type: "update", object, old }),
    delete: (object) => note({ type: "delete", object }),
  });
  signal?.addEventListener("abort", stop);
  source.ended.addEventListener("abort", stop);
  try {
    for (;;) {
      for (const [key, changes] of waiting) {
        waiting.delete(key);
        for (const change of changes) {
          if (signal?.aborted) return;
          yield change;
        }
      }
      if (signal?.aborted) return;
      if (source.ended.aborted) {
        if (source.ended.reason instanceof Refused) throw source.ended.reason.cause;
        return;
      }
      if (waiting.size > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    off();
    signal?.removeEventListener("abort", stop);
    source.ended.removeEventListener("abort", stop);
  }
}

/** Why an informer ended: the server will never answer its question. */
export class Refused extends Error {}

/** At most a deletion and what came after it: an object that was made again is another one. */
function merge<T>(before: readonly ObjectChange<T>[], next: ObjectChange<T>): ObjectChange<T>[] {
  const last = before.at(-1);
  if (last === undefined || last.type === "delete") return [...before, next];
  const rest = before.slice(0, -1);
  if (next.type === "delete") return last.type === "add" ? rest : [...rest, next];
  if (next.type === "add") return [...rest, next];
  return [...rest, last.type === "add" ? { type: "add", object: next.object } : { ...next, old: last.old }];
}
