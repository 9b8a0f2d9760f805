/** Everything that etcd itself delivered, in its order: what servers and clients are compared with. */

import type { Kv } from "../../src/kv/contract.ts";
import { openEtcdKv } from "../../src/kv/etcd/etcd.ts";
import type { Body } from "./call.ts";

export interface RecordedChange {
  readonly key: string;
  readonly revision: bigint;
  readonly deleted: boolean;
  /** The state after the change, or before a delete. */
  object(): Body;
}

export interface EtcdRecord {
  readonly changes: readonly RecordedChange[];
  /** Of keys that begin with one of these, in the order of etcd. */
  under(...prefixes: readonly string[]): RecordedChange[];
  /** Resolves when everything that was written before this call is recorded. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** `endpoints`: of the members themselves, without a link in between. */
export async function openRecord(endpoints: readonly string[]): Promise<EtcdRecord> {
  const kv: Kv = await openEtcdKv({ endpoints, allowPlaintext: true, requestTimeoutMs: 60_000 });
  const changes: RecordedChange[] = [];
  /** The newest bytes of each key: what a delete removed. */
  const newest = new Map<string, Uint8Array>();
  const abort = new AbortController();
  let reached = await kv.revision();
  const follow = async (): Promise<void> => {
    for await (const events of kv.watch("/", reached, abort.signal)) {
      for (const { key, revision, value } of events.changes) {
        const bytes = value ?? newest.get(key) ?? new Uint8Array(0);
        newest.set(key, bytes);
        changes.push({
          key,
          revision,
          deleted: value === undefined,
          object: () => JSON.parse(Buffer.from(bytes).toString()) as Body,
        });
      }
      reached = events.revision;
    }
  };
  let failure: unknown;
  const following = follow().catch((error: unknown) => {
    failure = error;
  });
  return {
    changes,
    under: (...prefixes) => changes.filter(({ key }) => prefixes.some((prefix) => key.startsWith(prefix))),
    async catchUp() {
      const newest = await kv.revision();
      while (reached < newest) {
        if (failure !== undefined) throw failure;
        await new Promise((resolve) => setTimeout(resolve, 20));
        await kv.revision(); // makes the watch show its progress
      }
    },
    async close() {
      abort.abort();
      await following;
      await kv.close();
    },
  };
}
