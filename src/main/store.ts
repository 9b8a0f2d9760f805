/** Opens the store that the flags select. Each implementation is loaded only when it is used. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Kv, RevisionConflict } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { isLoopback } from "./flags/addresses.ts";

export type StoreChoice =
  | { readonly store: "memory" }
  | { readonly store: "embedded"; readonly folder: string; readonly historyMs: number }
  | {
      readonly store: "etcd";
      readonly endpoints: readonly string[];
      readonly prefix: string;
      readonly vocabulary: string;
      /** PEM texts; absent: no TLS, or the system's authorities. */
      readonly authority?: string | undefined;
      readonly certificate?: string | undefined;
      readonly key?: string | undefined;
    };

export async function openStore(choice: StoreChoice, { clock, log }: { clock: Clock; log: Log }): Promise<Kv> {
  switch (choice.store) {
    case "memory":
      return createMemoryKv();
    case "embedded": {
      const { openEmbeddedKv } = await import("../kv/embedded/embedded.ts");
      return await openEmbeddedKv({ folder: choice.folder, clock, log, historyMs: choice.historyMs });
    }
    case "etcd":
      return await openEtcd(choice, { clock, log });
  }
}

type EtcdChoice = Extract<StoreChoice, { store: "etcd" }>;

async function openEtcd(choice: EtcdChoice, { clock, log }: { clock: Clock; log: Log }): Promise<Kv> {
  const { endpoints, prefix, authority, certificate, key, vocabulary } = choice;
  const plain = endpoints.filter((endpoint) => endpoint.startsWith("http://"));
  const exposed = plain.filter((endpoint) => URL.canParse(endpoint) && !isLoopback(new URL(endpoint).hostname));
  if (exposed.length > 0)
    log.warn("the connection to etcd is not encrypted: anyone who can reach etcd can read and change everything", {
      exposed,
    });
  const { openEtcdKv } = await import("../kv/etcd/etcd.ts");
  const kv = await openEtcdKv({
    endpoints,
    prefix,
    clock,
    log,
    allowPlaintext: plain.length > 0,
    ...(authority === undefined
      ? {}
      : {
          tls: {
            ca: authority,
            ...(certificate === undefined ? {} : { cert: certificate }),
            ...(key === undefined ? {} : { key }),
          },
        }),
  });
  try {
    await rememberVocabulary(kv, vocabulary);
    return kv;
  } catch (error) {
    await kv.close();
    throw error;
  }
}

/** Outside the registry's prefix, so that no object can have this key. */
const vocabularyKey = "main/vocabulary";

/** Like a data folder: objects in one vocabulary must not be read in another. Throws an Error that says what to change. */
export async function rememberVocabulary(kv: Kv, vocabulary: string): Promise<void> {
  let entry = await kv.get(vocabularyKey);
  if (entry === undefined) {
    await kv.put(vocabularyKey, Buffer.from(vocabulary), 0n).catch((error: unknown) => {
      if (!(error instanceof RevisionConflict)) throw error; // another server was faster
    });
    entry = await kv.get(vocabularyKey);
  }
  const known = Buffer.from(entry?.value ?? []).toString("utf8");
  if (known === vocabulary) return;
  throw new Error(
    `etcd holds objects in the vocabulary "${known}"; start with --vocabulary=${known}, or with another --kvstore-prefix`,
  );
}
