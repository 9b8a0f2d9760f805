/** Opens the store that the flags select. Each implementation is loaded only when it is used. */

import { type Clock, systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { isLoopback } from "./addresses.ts";
import { openMarked } from "./etcd-mark.ts";

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
export type EtcdTarget = Omit<EtcdChoice, "store" | "vocabulary">;

async function openEtcd(choice: EtcdChoice, parts: { clock: Clock; log: Log }): Promise<Kv> {
  const kv = await connect(choice, parts);
  try {
    return await openMarked(kv, choice.vocabulary);
  } catch (error) {
    await kv.close();
    throw error;
  }
}

/** For commands that read and write the store without a server: they check its mark themselves. */
export function openBareEtcd(choice: EtcdTarget, log: Log): Promise<Kv> {
  return connect(choice, { clock: systemClock, log });
}

async function connect(choice: EtcdTarget, { clock, log }: { clock: Clock; log: Log }): Promise<Kv> {
  const { endpoints, prefix, authority, certificate, key } = choice;
  const plain = endpoints.filter((endpoint) => endpoint.startsWith("http://"));
  const exposed = plain.filter((endpoint) => URL.canParse(endpoint) && !isLoopback(new URL(endpoint).hostname));
  if (exposed.length > 0)
    log.warn("the connection to etcd is not encrypted: anyone who can reach etcd can read and change everything", {
      exposed,
    });
  const { openEtcdKv } = await import("../kv/etcd/etcd.ts");
  return await openEtcdKv({
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
}
