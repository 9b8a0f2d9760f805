/** What tests of a store need to look at it: values as text, and watches that run beside the test. */

import type { Kv, KvChange, KvEvents } from "./contract.ts";

export function bytes(content: string): Uint8Array {
  return new Uint8Array(Buffer.from(content));
}

export function text(content: Uint8Array): string {
  return Buffer.from(content).toString();
}

/** The first `count` changes of a watch. */
export async function collect(kv: Kv, prefix: string, since: bigint, count: number): Promise<KvChange[]> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), 15_000);
  const changes: KvChange[] = [];
  for await (const events of kv.watch(prefix, since, abort.signal)) {
    changes.push(...events.changes);
    if (changes.length >= count) break;
  }
  clearTimeout(timer);
  if (changes.length < count) throw new Error(`the watch yielded ${changes.length} of ${count} changes in time`);
  return plain(changes);
}

export interface Follower {
  readonly changes: KvChange[];
  readonly events: KvEvents[];
  /** Resolves when the watch has ended, rejects with its error. */
  readonly ended: Promise<void>;
  /** Resolves when the watch has come to `revision`; rejects after 15 s. */
  until(revision: bigint): Promise<void>;
}

/** A watch that runs in the background and checks that revisions grow and that reported progress is true. */
export function follow(kv: Kv, prefix: string, since: bigint, signal: AbortSignal): Follower {
  const changes: KvChange[] = [];
  const events: KvEvents[] = [];
  let at = since;
  let failure: unknown;
  const run = async (): Promise<void> => {
    for await (const event of kv.watch(prefix, since, signal)) {
      for (const change of event.changes) {
        if (change.revision <= at) throw new Error(`revision ${change.revision} was delivered after ${at}`);
        if (change.revision > event.revision) throw new Error("a change is ahead of the progress it came with");
        if (!change.key.startsWith(prefix)) throw new Error(`${change.key} does not begin with ${prefix}`);
      }
      if (event.revision < at) throw new Error(`progress went back from ${at} to ${event.revision}`);
      at = event.revision;
      changes.push(...plain(event.changes));
      events.push(event);
    }
  };
  const ended = run();
  ended.catch((error: unknown) => {
    failure = error;
  });
  return {
    changes,
    events,
    ended,
    async until(revision) {
      const deadline = Date.now() + 15_000;
      while (at < revision) {
        if (failure !== undefined) throw failure;
        if (Date.now() > deadline) throw new Error(`the watch is at ${at} and did not reach ${revision}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  };
}

/** Buffers as plain arrays, so that deep comparison accepts both of the types that a store may return. */
export function plain(changes: readonly KvChange[]): KvChange[] {
  return changes.map(({ isJoined: _isJoined, ...change }) => ({
    ...change,
    ...(change.value && { value: new Uint8Array(change.value) }),
  }));
}
