/** The servers that tests fork from: one for each choice of options, made when a test first needs it. */

import type { Loadable } from "../../testkit/load/load.ts";
import type { CreateServerOptions, OrchServer } from "../library/options.ts";
import { createServer } from "../library.ts";

/**
 * The options of `createServer`, except for what a fork cannot have.
 * @example
 * const options: TestServerOptions = { controllers: ["*"], nodes: 2 };
 */
export interface TestServerOptions extends Omit<CreateServerOptions, "dataDir" | "listen" | "port"> {
  /** What every test begins with: a file, a folder, or objects. */
  readonly load?: Loadable;
  /** More of it; called once, with the server that tests fork from. */
  readonly prepare?: (server: OrchServer) => void | Promise<void>;
}

/** The name of the variable in which `globalSetup` tells the processes of tests where they begin. */
export const stateVariable = "ORCH_TEST_STATE";
/** How many servers are kept to fork from; the one that was not used for longest makes room. */
export const warmServersMax = 16;

const warm = new Map<unknown, Promise<OrchServer>>();
/** Options with functions are compared as the one object that they are. */
const keys = new WeakMap<object, symbol>();

export async function forkWarm(options: TestServerOptions = {}): Promise<OrchServer> {
  const chosen = withGlobalState(options);
  const key = keyOf(options, chosen);
  const found = warm.get(key) ?? warmUp(chosen);
  warm.delete(key); // so that it becomes the last
  warm.set(key, found);
  found.catch(() => warm.delete(key)); // the next test tries again
  if (warm.size > warmServersMax) void closeOldest();
  return (await found).fork();
}

async function warmUp({ load, prepare, ...options }: TestServerOptions): Promise<OrchServer> {
  const server = await createServer(options);
  try {
    if (load !== undefined) await server.load(load);
    await prepare?.(server);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function closeOldest(): Promise<void> {
  for (const [key, server] of warm) {
    warm.delete(key);
    // A fork that began before has its own copy of the state.
    await server.then((open) => open.close()).catch(() => {});
    return;
  }
}

function withGlobalState(options: TestServerOptions): TestServerOptions {
  const text = process.env[stateVariable];
  if (text === undefined || options.from !== undefined) return options;
  const given = JSON.parse(text) as TestServerOptions; // as globalSetup wrote it
  if (options.vocabulary !== undefined && options.vocabulary !== given.vocabulary)
    throw new Error(`the global setup speaks "${given.vocabulary}", and this test "${options.vocabulary}"`);
  return { ...given, ...options };
}

/** Equal options without functions share a server, wherever they were written. */
function keyOf(given: TestServerOptions, chosen: TestServerOptions): unknown {
  if (isPlain(given)) return JSON.stringify(sorted(chosen));
  const key = keys.get(given) ?? Symbol("options");
  keys.set(given, key);
  return key;
}

function isPlain(value: unknown): boolean {
  if (typeof value === "function" || typeof value === "bigint" || typeof value === "symbol") return false;
  if (typeof value !== "object" || value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return false;
  return Object.values(value).every(isPlain);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
