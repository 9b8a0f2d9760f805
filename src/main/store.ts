/** Opens the store that the flags ask for. Each implementation is loaded only where it is used. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";

export type StoreChoice =
  | { readonly store: "memory" }
  | { readonly store: "embedded"; readonly folder: string; readonly historyMs: number }
  | {
      readonly store: "etcd";
      readonly endpoints: readonly string[];
      readonly prefix: string;
      readonly historyMs: number;
      /** PEM texts; absent: plain, or the system's authorities. */
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
      throw new Error("--store=etcd is not available in this build");
  }
}
