/** A server in memory with some controllers, for one test: create objects, then wait for the result. */

import { createFeatureGates } from "../api/feature-gates.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Log, silentLog } from "../base/log.ts";
import { createClient } from "../client/client.ts";
import type { AnyObject, Client, Fetch, Ref } from "../client/contract.ts";
import { hasReason } from "../client/requests/send.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import { createEnvironment } from "../main/environment.ts";
import { type CreateServerOptions, createServer, type OrchServer } from "../main/library.ts";
import { vocabularyByName } from "../vocabulary/by-name.ts";
import type { Controller } from "./contract.ts";
import { runControllers } from "./run.ts";
import { defaultSettings, type Settings } from "./settings.ts";

export interface ScenarioOptions {
  readonly vocabulary?: "orch" | "kubernetes";
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly settings?: Partial<Settings>;
  readonly server?: CreateServerOptions;
  /** The clock of the controllers alone; the server's own clock runs on. */
  readonly clock?: Clock;
  /** The log of the controllers. Default: silent. */
  readonly log?: Log;
  /** Between the controllers and the server: tests put faults there. */
  readonly controllerFetch?: (fetch: Fetch) => Fetch;
}

export interface Scenario {
  /** Sends requests as the admin. */
  readonly client: Client;
  readonly server: OrchServer;
  create<T extends AnyObject>(kind: Kind<T>, object: T): Promise<T>;
  /** Watches until `isSo` returns true for the object; undefined: it does not exist. Resolves with the object. */
  until<T extends AnyObject>(kind: Kind<T>, ref: Ref, isSo: (object: T) => boolean): Promise<T>;
  untilGone<T extends AnyObject>(kind: Kind<T>, ref: Ref): Promise<void>;
  /** Waits until `isSo` returns true for all objects of a namespace ("" for all). */
  untilAll<T extends AnyObject>(
    kind: Kind<T>,
    namespace: string,
    isSo: (objects: readonly T[]) => boolean,
  ): Promise<readonly T[]>;
}

/** After this long a test fails and names what it waited for. */
const patienceMs = 120_000;

/** Runs `test` with a server and `controllers`, and stops both. What controllers share is frozen: changing it throws. */
export async function withControllers(
  controllers: readonly Controller[],
  test: (scenario: Scenario) => Promise<void>,
  options: ScenarioOptions = {},
): Promise<void> {
  const { vocabulary = "orch", featureGates = {} } = options;
  const server = await createServer({ vocabulary, featureGates, controllers: false, ...options.server });
  const spoken = vocabularyByName(vocabulary);
  if (spoken === undefined) throw new Error(`there is no vocabulary ${vocabulary}`);
  const clock = options.clock ?? systemClock;
  const client = createClient({ fetch: server.fetch, vocabulary: spoken, clock: systemClock, userAgent: "scenario" });
  const fetch = options.controllerFetch?.(server.fetch) ?? server.fetch;
  const inner = createClient({ fetch, vocabulary: spoken, clock: systemClock, userAgent: "scenario" });
  const running = runControllers({
    controllers,
    client: inner,
    clientOf: () => inner,
    settings: { ...defaultSettings, ...options.settings },
    environment: createEnvironment({
      vocabulary: spoken,
      gates: createFeatureGates(new Map(Object.entries(featureGates)), options.server?.emulatedVersion),
      level: options.server?.emulatedVersion,
      clock,
      allowPrivileged: true,
    }),
    clock,
    log: options.log ?? silentLog,
    random: (below) => Math.floor(Math.random() * below),
    prepare: deepFreeze,
  });
  try {
    await test({ client, server, ...helpersOf(client) });
  } finally {
    await running.close();
    await server.close();
  }
}

function helpersOf(client: Client): Omit<Scenario, "client" | "server"> {
  const untilAll: Scenario["untilAll"] = async (kind, namespace, isSo) => {
    const resource = client.of(kind);
    const signal = AbortSignal.timeout(patienceMs);
    const known = new Map<string, Parameters<typeof isSo>[0][number]>();
    const keyOf = ({ metadata }: AnyObject) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
    const { items, resourceVersion } = await resource.list({ namespace });
    for (const item of items) known.set(keyOf(item), item);
    if (isSo([...known.values()])) return [...known.values()];
    for await (const { type, object } of resource.watch({ namespace, resourceVersion, signal })) {
      if (type === "DELETED") known.delete(keyOf(object));
      else known.set(keyOf(object), object);
      if (isSo([...known.values()])) return [...known.values()];
    }
    throw new Error(`waited in vain for ${kind.resource}: ${JSON.stringify([...known.values()], undefined, 1)}`);
  };
  return {
    create: (kind, object) => client.of(kind).create(object),
    async until(kind, ref, isSo) {
      const isIt = ({ metadata }: AnyObject) => metadata.name === ref.name;
      const found = await untilAll(kind, ref.namespace ?? "", (objects) =>
        objects.some((each) => isIt(each) && isSo(each)),
      );
      const object = found.find(isIt);
      if (object === undefined) throw new Error("it was there");
      return object;
    },
    async untilGone(kind, ref) {
      const isIt = ({ metadata }: AnyObject) => metadata.name === ref.name;
      await untilAll(kind, ref.namespace ?? "", (objects) => !objects.some(isIt));
    },
    untilAll,
  };
}

/** Whether a call is refused with this reason. */
export async function reasonOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (hasReason(error, "NotFound", "AlreadyExists", "Conflict", "Invalid", "Forbidden")) return error.reason;
    throw error;
  }
}
