/** A server of a few made-up kinds for the tests of this room: the real registry on the memory store, no socket. */

import { createFeatureGates } from "../api/feature-gates.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Log, silentLog } from "../base/log.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { type ChangingCatalog, createCatalog } from "../machinery/catalog/bind.ts";
import type { User } from "../machinery/meta/user.ts";
import { elided, int32, list, map, optional, string, struct } from "../machinery/schema/build.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import { hasAt } from "../machinery/schema/features.ts";
import { atLevel } from "../machinery/schema/field-level.ts";
import { kind, status, version } from "../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../machinery/schema/levels.ts";
import { invalid } from "../machinery/status/field-error.ts";
import { admitAll } from "../registry/contract/admission.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { openRegistry } from "../registry/registry.ts";
import { orch } from "../vocabulary/orch.ts";
import { createHandler } from "./chain.ts";
import type { Handler } from "./contract/exchange.ts";
import type { HandlerOptions } from "./contract/handler-options.ts";
import type { Lifecycle } from "./contract/health.ts";
import type { MemoryFetch } from "./contract/listener.ts";
import { createLifecycle } from "./server/lifecycle.ts";
import { createMemoryFetch } from "./transport/memory-exchange.ts";

const Gadget = kind({
  group: "toys.example.com",
  version: "v1",
  kind: "Gadget",
  resource: "gadgets",
  shortNames: ["gd"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Something to play with.",
  fields: {
    spec: elided(
      struct("toys.v1.GadgetSpec", {
        size: optional(int32()).at(1),
        tags: elided(list(string())).at(2),
        notes: elided(map(string())).at(3),
      }),
    ).at(2),
    status: elided(struct("toys.v1.GadgetStatus", { phase: elided(string()).at(1) })).at(3),
  },
  compat: { carried: ["toys.example.com/wheels"], rowRank: (gadget) => gadget.spec?.size ?? 0 },
  subresources: [status()],
  validate: (gadget) =>
    (gadget.spec?.size ?? 0) < 0 ? [invalid("spec.size", gadget.spec?.size, "must not be negative")] : [],
});
const GadgetBeta = version(Gadget, {
  version: "v1beta1",
  deprecated: { since: "1.19", removed: "1.22", replacement: "toys.example.com/v1 Gadget" },
});
const Shelf = kind({
  group: "toys.example.com",
  version: "v1",
  kind: "Shelf",
  resource: "shelves",
  scope: "Cluster",
  doc: "Where gadgets lie.",
  fields: {},
});
const Namespace = kind({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
  doc: "A room.",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  fields: {},
});
const Question = kind({
  group: "toys.example.com",
  version: "v1",
  kind: "Question",
  resource: "questions",
  scope: "Cluster",
  doc: "Is answered and forgotten.",
  verbs: ["create"],
  action: "questions",
  fields: { text: elided(string()).at(2), answer: elided(string()).at(3) },
});

export const admin: User = { name: "admin", uid: "", groups: ["system:masters"], extra: new Map() };

export interface TestServer {
  readonly fetch: MemoryFetch;
  readonly handler: Handler;
  readonly registry: Registry;
  readonly catalog: ChangingCatalog;
  readonly lifecycle: Lifecycle;
  close(): Promise<void>;
}

/** The registry uses `admission` as well. Without a level, it is the default one. */
export async function openTestServer({
  level = levelDefault,
  ...options
}: Partial<HandlerOptions> & { readonly level?: Level } = {}): Promise<TestServer> {
  const clock: Clock = options.clock ?? systemClock;
  const log: Log = options.log ?? silentLog;
  let counter = 0;
  const environment: Environment = {
    vocabulary: orch,
    gates: createFeatureGates(new Map()),
    clock,
    level,
    since: atLevel(level).since,
    has: hasAt(level),
    randomSuffix: (length) => String(counter++).padStart(length, "0"),
    randomUid: () => crypto.randomUUID(),
    allowPrivileged: false,
  };
  // The declarations differ in the type of their objects, which no code behind the catalog uses.
  const kinds = [Namespace, Gadget, GadgetBeta, Shelf, Question];
  const catalog = createCatalog(kinds, environment);
  const kv = createMemoryKv();
  const { admission = admitAll } = options;
  const registry = await openRegistry({ kv, catalog, admission, clock, log });
  const lifecycle = createLifecycle();
  const handler = createHandler({
    registry,
    catalog,
    authenticator: { authenticate: () => undefined },
    anonymous: true,
    authorizer: { name: "all", authorize: () => ({ outcome: "allow", reason: "" }) },
    actions: new Map([
      ["questions", { create: async ({ body }) => ({ object: { ...body, answer: "42" }, code: 201 }) }],
    ]),
    version: {
      major: "1",
      minor: "21",
      gitVersion: "v1.21.0",
      gitCommit: "",
      gitTreeState: "clean",
      buildDate: "",
      goVersion: "",
      compiler: "",
      platform: "",
    },
    healthChecks: [],
    lifecycle,
    clock,
    log,
    ...options,
  });
  return {
    fetch: createMemoryFetch(handler, { user: admin }),
    handler,
    registry,
    catalog,
    lifecycle,
    async close() {
      lifecycle.end();
      await registry.close();
      await kv.close();
    },
  };
}

/** A request with a JSON body, and the answer as [status, body]. */
export async function ask(
  fetch: MemoryFetch,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<[status: number, body: unknown]> {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json" && text !== "";
  return [response.status, isJson ? JSON.parse(text) : text];
}
