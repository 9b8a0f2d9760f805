/** `connect()`: a client from a configuration file, from inside a cluster, or of a server in the same process. */

import { homedir } from "node:os";
import { type Clock, holdingClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type AccessOverrides, type ClientAccess, resolveAccess } from "../client/config/access.ts";
import { ConfigError, mergeConfigs } from "../client/config/file.ts";
import { inClusterConfig } from "../client/config/in-cluster.ts";
import { configPaths, loadConfigFiles } from "../client/config/load.ts";
import { openTransport } from "../client/config/transport.ts";
import type { Fetch } from "../client/contract.ts";
import { createSender, type Sender } from "../client/requests/send.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { createUserClient } from "./client.ts";
import type { Client } from "./contract.ts";
import { inProcessFetch } from "./in-process.ts";
import { warningLog } from "./log.ts";

export interface ConnectOptions extends Omit<AccessOverrides, "server"> {
  /**
   * The URL of a server, or a server in this process as `createServer` returns it, which needs no socket and no credentials: requests
   * are sent as its administrator, or as the user of `as`. Absent: the server of the configuration.
   */
  readonly server?: string | { readonly fetch: Fetch };
  /** The configuration file. Absent: ORCHCONFIG, KUBECONFIG, ~/.orch/config, ~/.kube/config, then the account of a pod. */
  readonly kubeconfig?: string;
  /** The names that the server speaks. Absent: the server is asked. */
  readonly vocabulary?: "orch" | "kubernetes";
  /** The part before the first slash is the manager of fields that are written without one. Default: "orch-client". */
  readonly userAgent?: string;
  /** Where informers log; `console` is one. Default: warnings and errors go to standard error. */
  readonly log?: Log;
  readonly clock?: Clock;
  /** Ends the question about the vocabulary. */
  readonly signal?: AbortSignal;
}

export function connect(options: ConnectOptions = {}): Promise<Client> {
  const isInteractive = process.stdin.isTTY === true;
  return connectFrom({ env: process.env, home: homedir(), isInteractive }, options);
}

/** Where a program runs: what names its configuration. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Where the account of a pod is mounted. Default: where clusters mount it. */
  readonly mounts?: readonly string[];
  /** Whether a person could answer a question of a credential plugin. */
  readonly isInteractive: boolean;
}

/** Connects as a program in other surroundings would. */
export async function connectFrom(around: Surroundings, options: ConnectOptions = {}): Promise<Client> {
  const { clock = holdingClock, log = warningLog, userAgent = "orch-client" } = options;
  const { fetch, namespace, close } = openFetch(options, { clock, userAgent, around });
  const send = createSender({ fetch, clock, userAgent });
  const { vocabulary: name, signal } = options;
  const vocabulary = name === undefined ? await askVocabulary(send, signal) : vocabularyOf(name);
  return createUserClient({ fetch, vocabulary, namespace, userAgent, clock, log, close });
}

interface Opened {
  readonly fetch: Fetch;
  readonly namespace: string;
  close(): void;
}

interface Opening {
  readonly clock: Clock;
  readonly userAgent: string;
  readonly around: Surroundings;
}

function openFetch(options: ConnectOptions, { around, ...own }: Opening): Opened {
  const { server, namespace } = options;
  if (typeof server === "object") {
    return { fetch: inProcessFetch(server, options), namespace: namespace || "default", close() {} };
  }
  const access = readAccess(options, server, around);
  const { env, isInteractive } = around;
  const transport = openTransport(access, { ...own, env, isInteractive, requestTimeoutMs: 0 });
  return { fetch: transport.fetch, namespace: access.namespace, close: () => transport.close() };
}

function readAccess(
  { kubeconfig, ...overrides }: ConnectOptions,
  server: string | undefined,
  { env, home, mounts }: Surroundings,
): ClientAccess {
  const given = { ...overrides, ...(server === undefined ? {} : { server }) } as AccessOverrides; // its further members are not read
  const paths = configPaths({ explicit: kubeconfig, env, home });
  const access = resolveAccess(mergeConfigs(loadConfigFiles(paths)), given);
  if (access !== undefined) return access;
  const inside = inClusterConfig(env, mounts);
  const insideAccess = inside && resolveAccess(inside, given);
  if (insideAccess !== undefined) return insideAccess;
  throw new ConfigError(
    `no server is configured: pass "server" or "kubeconfig", set KUBECONFIG, or write one of ${paths.paths.join(", ")}`,
  );
}

/** Every server has groups of its own, whose domain says which names it speaks. */
async function askVocabulary(send: Sender, signal: AbortSignal | undefined): Promise<Vocabulary> {
  const body = await send.json("/apis", { signal });
  const groups = isObject(body) && Array.isArray(body["groups"]) ? body["groups"] : [];
  const isTheirs = groups.some((group: unknown) => isObject(group) && String(group["name"]).endsWith(".k8s.io"));
  return vocabularyOf(isTheirs ? "kubernetes" : "orch");
}
