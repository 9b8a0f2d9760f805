/** Opens the store that the flags select. Each implementation is loaded only when it is used. */

import { type Clock, systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Kv, KvHistoryBounds } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { isLocal, namesOf, type PostgresTarget } from "../../kv/postgres/target.ts";
import { isLoopback } from "../addresses.ts";
import { openMarked, type StoreNames } from "./etcd-mark.ts";

export type StoreChoice =
  | { readonly store: "memory"; readonly history: KvHistoryBounds }
  | {
      readonly store: "embedded";
      readonly folder: string;
      readonly historyMs: number;
      readonly history: KvHistoryBounds;
    }
  | {
      readonly store: "etcd";
      readonly endpoints: readonly string[];
      readonly prefix: string;
      readonly vocabulary: string;
      /** Absent: none is kept. */
      readonly history?: KvHistoryBounds;
      /** PEM texts; absent: no TLS, or the system's authorities. */
      readonly authority?: string | undefined;
      readonly certificate?: string | undefined;
      readonly key?: string | undefined;
    }
  | {
      readonly store: "postgres";
      readonly target: PostgresTarget;
      readonly schema: string;
      readonly vocabulary: string;
    };

/** Stores that several servers may open at once. */
export const isShared = (store: StoreChoice["store"]): boolean => store === "etcd" || store === "postgres";

export async function openStore(choice: StoreChoice, { clock, log }: { clock: Clock; log: Log }): Promise<Kv> {
  switch (choice.store) {
    case "memory":
      return createMemoryKv({ noted: choice.history.bytesMax > 0 ? { bounds: choice.history, clock } : undefined });
    case "embedded": {
      const { openEmbeddedKv } = await import("../../kv/embedded/embedded.ts");
      return await openEmbeddedKv({
        folder: choice.folder,
        clock,
        log,
        historyMs: choice.historyMs,
        noted: choice.history,
      });
    }
    case "etcd":
    case "postgres":
      return await openRemote(choice, choice.vocabulary, { clock, log });
  }
}

type EtcdChoice = Extract<StoreChoice, { store: "etcd" }>;
type PostgresChoice = Extract<StoreChoice, { store: "postgres" }>;
/** A store that is reached over a network, without the vocabulary of its objects. */
export type RemoteTarget = Omit<EtcdChoice, "vocabulary"> | Omit<PostgresChoice, "vocabulary">;

/** How messages name it: "etcd under /registry". */
export function nameOf(target: RemoteTarget): string {
  return target.store === "etcd"
    ? `${target.endpoints.join(",")} ${target.prefix}`
    : `${namesOf(target.target)} ${target.schema}`;
}

/** The words of messages about it. */
export const storeNames = (target: RemoteTarget): StoreNames =>
  target.store === "etcd"
    ? { store: "etcd", place: `under ${target.prefix}`, otherPlace: "--kvstore-prefix" }
    : { store: "PostgreSQL", place: `in the schema ${target.schema}`, otherPlace: "--postgres-schema" };

async function openRemote(choice: RemoteTarget, vocabulary: string, parts: { clock: Clock; log: Log }): Promise<Kv> {
  const kv = await connect(choice, parts);
  try {
    return await openMarked(kv, vocabulary, storeNames(choice));
  } catch (error) {
    await kv.close();
    throw error;
  }
}

/** For commands that read and write the store without a server: they check its mark themselves. */
export function openBareRemote(choice: RemoteTarget, log: Log): Promise<Kv> {
  return connect(choice, { clock: systemClock, log });
}

function connect(choice: RemoteTarget, parts: { clock: Clock; log: Log }): Promise<Kv> {
  return choice.store === "etcd" ? connectEtcd(choice, parts) : connectPostgres(choice, parts);
}

async function connectPostgres(
  { target, schema }: Omit<PostgresChoice, "vocabulary">,
  parts: { clock: Clock; log: Log },
): Promise<Kv> {
  const exposed = target.tls === undefined ? target.hosts.filter((host) => !isLocal(host)) : [];
  if (exposed.length > 0 || target.tls?.verify === "encrypted")
    parts.log.warn("the connection to PostgreSQL can be read or changed on its way; say sslmode=verify-full", {
      hosts: namesOf(target),
    });
  const { openPostgresKv } = await import("../../kv/postgres/postgres.ts");
  return await openPostgresKv({ target, schema, ...parts });
}

async function connectEtcd(
  choice: Omit<EtcdChoice, "vocabulary">,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Kv> {
  const { endpoints, prefix, authority, certificate, key, history } = choice;
  const plain = endpoints.filter((endpoint) => endpoint.startsWith("http://"));
  const exposed = plain.filter((endpoint) => URL.canParse(endpoint) && !isLoopback(new URL(endpoint).hostname));
  if (exposed.length > 0)
    log.warn("the connection to etcd is not encrypted: anyone who can reach etcd can read and change everything", {
      exposed,
    });
  const { openEtcdKv } = await import("../../kv/etcd/etcd.ts");
  return await openEtcdKv({
    endpoints,
    prefix,
    clock,
    log,
    noted: history,
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
