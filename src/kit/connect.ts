/** `connect()`: a client from a configuration file, from inside a cluster, or of a server in the same process. */

import {
  able,
  amount,
  anObject,
  checkOptions,
  either,
  filled,
  flag,
  listOf,
  type OptionShape,
  oneOf,
  text,
} from "../base/check-options.ts";
import { type Clock, holdingClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { openTracing } from "../base/open-telemetry.ts";
import { type FollowsWork, followWork } from "../base/queue/followed-work.ts";
import type { Tracer } from "../base/tracing.ts";
import type { AccessOverrides } from "../client/config/access.ts";
import type { Fetch } from "../client/contract.ts";
import { vocabularyOfGroupList } from "../client/discovery/speaks.ts";
import { createSender } from "../client/requests/send.ts";

import { vocabularyOf } from "../vocabulary/by-name.ts";
import { createUserClient } from "./client.ts";
import type { Client } from "./contract.ts";
import { inWorkspaceOf } from "./in-workspace.ts";
import { warningLog } from "./log.ts";
import { openFetch, ownSurroundings, type Surroundings } from "./open-fetch.ts";
import { tracedFetch, tracingOf } from "./tracing.ts";

/**
 * Which server, and as whom.
 * @example
 * const options: ConnectOptions = { server: "https://127.0.0.1:6443", token, requestTimeoutMs: 30_000 };
 */
export interface ConnectOptions extends Omit<AccessOverrides, "server"> {
  /**
   * The URL of a server, or a server in this process as `createServer` returns it, which needs no socket and no credentials: requests
   * are sent as its administrator, as the user of `token`, or as that of `as`. Absent: the server of the configuration.
   */
  readonly server?: string | InProcessServer;
  /**
   * The path of a configuration file, its content (YAML or JSON), or its object, as `(await server.clientConfig()).kubeconfig` is one. Absent:
   * ORCHCONFIG, KUBECONFIG, ~/.orch/config, ~/.kube/config, then the account of a pod.
   */
  readonly kubeconfig?: string | Kubeconfig;
  /** The names that the server speaks. Absent: the server is asked. */
  readonly vocabulary?: "orch" | "kubernetes";
  /** The part before the first slash is the manager of fields that are written without one. Default: "orch-client". */
  readonly userAgent?: string;
  /** Where informers log; `console` is one. Default: warnings and errors go to standard error. */
  readonly log?: Log;
  /** Default: that of the system, or of a `server` in the process whose clock is virtual. */
  readonly clock?: Clock;
  /** How long an answer may take, watches and logs aside. Default: as long as the connection lasts. */
  readonly requestTimeoutMs?: number;
  /**
   * Makes each reconcile of controllers a span, and sends with each request what it is a part of: `trace.getTracer("shop")` of @opentelemetry/api.
   * Default: nothing is traced.
   */
  readonly tracing?: Tracer;
  /** Ends the question about the vocabulary. */
  readonly signal?: AbortSignal;
}

/**
 * A server in the same process: what `createServer` of "orch" resolves with.
 * @example
 * const server: InProcessServer = await createServer();
 */
export interface InProcessServer extends FollowsWork {
  readonly fetch: Fetch;
  readonly clock?: Clock & { readonly isVirtual: boolean };
  /** How it is reached over its port, which streams to containers need. */
  clientConfig?(): Promise<{ readonly kubeconfig: Kubeconfig }>;
}

/**
 * A client configuration as an object.
 * @example
 * const { kubeconfig } = await server.clientConfig();
 */
export interface Kubeconfig {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly clusters?: readonly { readonly name: string; readonly cluster: object }[];
  readonly users?: readonly { readonly name: string; readonly user: object }[];
  readonly contexts?: readonly { readonly name: string; readonly context: object }[];
  readonly "current-context"?: string;
}

/**
 * Connects to a server, and asks it which names it speaks.
 * @example
 * const client = await connect({ kubeconfig: "/etc/robot.conf", context: "test" });
 */
export function connect(options: ConnectOptions = {}): Promise<Client> {
  return connectFrom(ownSurroundings(), options);
}

/** Connects as a program in other surroundings would. */
export async function connectFrom(around: Surroundings, options: ConnectOptions = {}): Promise<Client> {
  checkOptions("connect", options, connecting);
  const inside = typeof options.server === "object" ? options.server : undefined;
  const clock = options.clock ?? (inside?.clock?.isVirtual ? inside.clock : holdingClock);
  const { log = warningLog, userAgent = "orch-client" } = options;
  const opened = openFetch(options, { clock, userAgent, around });
  const { upgrade, namespace, close } = opened;
  const tracing = options.tracing && (await openTracing(options.tracing));
  const traced = (one: Fetch) => (tracing === undefined ? one : tracedFetch(one, tracing));
  const fetch = traced(opened.fetch);
  const { inWorkspace } = opened;
  const { vocabulary: name, signal, requestTimeoutMs } = options;
  const send = createSender({ fetch, clock, userAgent, requestTimeoutMs, retriesResets: true });
  const vocabulary =
    name === undefined ? vocabularyOfGroupList(await send.json("/apis", { signal })) : vocabularyOf(name);
  const work = inside?.[followWork];
  return createUserClient({
    fetch,
    upgrade,
    vocabulary,
    namespace,
    userAgent,
    clock,
    log,
    requestTimeoutMs,
    close,
    [followWork]: work,
    [tracingOf]: tracing,
    [inWorkspaceOf]: inWorkspace && ((name: string) => traced(inWorkspace(name))),
  });
}

const connecting: OptionShape<ConnectOptions> = {
  server: either("a URL or a server", filled, able("fetch")),
  kubeconfig: either("a path, a text or an object", text, anObject),
  vocabulary: oneOf("orch", "kubernetes"),
  userAgent: filled,
  log: able("warn", "error"),
  clock: able("now", "monotonic", "after"),
  requestTimeoutMs: amount(1),
  tracing: able("startSpan"),
  signal: anObject,
  context: text,
  cluster: text,
  user: text,
  namespace: text,
  token: text,
  username: text,
  password: text,
  certificateAuthority: text,
  clientCertificate: text,
  clientKey: text,
  insecureSkipTlsVerify: flag,
  tlsServerName: text,
  as: text,
  asGroups: listOf(text),
};
