/** Several servers on one store, without sockets, as on one etcd. */

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMemoryFetch } from "../../src/http/transport/memory-exchange.ts";
import type { Kv } from "../../src/kv/contract.ts";
import { createMemoryKv } from "../../src/kv/memory/memory.ts";
import type { Level } from "../../src/machinery/schema/levels.ts";
import { createAccess } from "../../src/main/access/access.ts";
import { createIsServed } from "../../src/main/flags/runtime-config.ts";
import { openServer, type Server } from "../../src/main/server.ts";
import type { ServiceRanges } from "../../src/main/services.ts";
import type { InitialObjects } from "../../src/upkeep/initial-objects.ts";
import { orch } from "../../src/vocabulary/orch.ts";

const admin = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };

export interface SharingServer {
  readonly server: Server;
  readonly fetch: ReturnType<typeof createMemoryFetch>;
  send(method: string, path: string, body: object, type?: string): Promise<Response>;
}

export interface OpenOptions {
  readonly gates?: ReadonlyMap<string, boolean>;
  /** Default: the level of the specification. */
  readonly level?: Level;
  readonly clock?: Clock;
  readonly profiling?: boolean;
  readonly services?: ServiceRanges;
  readonly hostname?: string;
  /** --runtime-config. Default: empty. */
  readonly runtimeConfig?: ReadonlyMap<string, string>;
  readonly initialObjects?: InitialObjects;
  /** Default: AlwaysAllow. */
  readonly authorization?: "AlwaysAllow" | "RBAC";
}

export interface SharedStore {
  readonly kv: Kv;
  open(options?: OpenOptions): Promise<SharingServer>;
  /** Closes all servers, then the store. */
  close(): Promise<void>;
}

export function openSharedStore(kv: Kv = createMemoryKv()): SharedStore {
  const closeStore = kv.close.bind(kv);
  kv.close = async () => undefined; // the store outlives the first server that closes
  const servers: Server[] = [];
  return {
    kv,
    async open(options = {}) {
      const server = await openOn(kv, options);
      servers.push(server);
      const fetch = createMemoryFetch(server.handler, { user: admin });
      const send = (method: string, path: string, body: object, type = "application/json") =>
        fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
      return { server, fetch, send };
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await closeStore();
    },
  };
}

function openOn(kv: Kv, options: OpenOptions): Promise<Server> {
  const { gates = new Map(), clock = systemClock, profiling = false, authorization: mode = "AlwaysAllow" } = options;
  const authentication = {
    clientAuthorities: undefined,
    staticTokens: undefined,
    bootstrapTokens: false,
    audiences: [],
  };
  const authorization = { modes: [mode], subjectNames: "exact" as const, policies: [] };
  return openServer({
    clock,
    log: silentLog,
    api: {
      vocabulary: orch,
      gates,
      level: options.level,
      isServed: createIsServed(options.runtimeConfig ?? new Map(), options.level),
      allowPrivileged: true,
    },
    store: {
      kv,
      timeoutMs: 2_000,
      historyMs: 300_000,
      isShared: true,
      ...(options.initialObjects && { initialObjects: options.initialObjects }),
    },
    admission: {
      enable: [],
      disable: ["ServiceAccount"],
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
    },
    access: { open: (parts) => createAccess({ authentication, authorization }, parts), anonymous: false },
    requests: { limits: {}, livezGraceMs: 0 },
    network: {
      ...(options.services && { services: options.services }),
      ...(options.hostname && { hostname: options.hostname }),
    },
    metrics: { profiling },
  });
}
