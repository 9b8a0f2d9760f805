import { expect, test } from "vitest";
import { type Clock, systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { Kv } from "../kv/contract.ts";
import { createMemoryKv } from "../kv/memory/memory.ts";
import { vocabularyOf } from "../vocabulary/by-name.ts";
import { createAccess } from "./access/access.ts";
import type { ServerOptions } from "./server/options.ts";
import { openServer } from "./server.ts";

/** Counts what is open: timers, watches of the store, the store itself, access. */
function track() {
  const open = new Set<object>();
  const opened = (what: string) => {
    const thing = { what };
    open.add(thing);
    return () => void open.delete(thing);
  };
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      const done = opened(`a timer of ${ms} ms`);
      const cancel = systemClock.after(ms, () => {
        done();
        callback();
      });
      return () => {
        done();
        cancel();
      };
    },
  };
  return { clock, opened, left: () => [...open] };
}

const asynchronous = new Set<string | symbol>(["revision", "get", "range", "put", "delete", "compact", "sizes"]);

/** The store fails at its call number `failsAt`, counted over all methods. */
function failing(failsAt: number, opened: (what: string) => () => void): { kv: Kv; calls(): number } {
  const inner = createMemoryKv();
  const closed = opened("the store");
  let calls = 0;
  const kv = new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "close") closed();
        else if (asynchronous.has(name) && calls++ === failsAt)
          return Promise.reject(new Error(`${String(name)} failed`));
        const result: unknown = Reflect.apply(value, target, given);
        const signal = given.find((one) => one instanceof AbortSignal);
        if (name === "watch" && signal !== undefined) signal.addEventListener("abort", opened("a watch of the store"));
        return result;
      };
    },
  });
  return { kv, calls: () => calls };
}

function optionsOn(kv: Kv, { clock, opened }: ReturnType<typeof track>): ServerOptions {
  const settings = {
    authentication: { bootstrapTokens: false, audiences: [] },
    authorization: { modes: ["RBAC" as const], subjectNames: "exact" as const, policies: [] },
  };
  return {
    clock,
    log: silentLog,
    api: { vocabulary: vocabularyOf("orch"), gates: new Map(), isServed: () => true, allowPrivileged: true },
    store: { kv, timeoutMs: 2_000, historyMs: 300_000 },
    access: {
      open(parts) {
        const access = createAccess(settings, parts);
        const done = opened("access");
        return {
          ...access,
          close() {
            access.close?.();
            done();
          },
        };
      },
      anonymous: true,
    },
    admission: { enable: [], disable: [], notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300 },
    requests: { limits: {}, livezGraceMs: 0 },
    network: {},
    metrics: { profiling: true },
  };
}

test("a server that was closed leaves nothing open", async () => {
  const tracked = track();
  const { kv } = failing(Number.POSITIVE_INFINITY, tracked.opened);
  const server = await openServer(optionsOn(kv, tracked));
  server.startUpkeep();
  await server.close();
  server.startUpkeep(); // too late: has no effect
  expect(tracked.left()).toEqual([]);
});

test("whichever call of the store fails during the start, nothing stays open", async () => {
  const healthy = track();
  const counted = failing(Number.POSITIVE_INFINITY, healthy.opened);
  await (await openServer(optionsOn(counted.kv, healthy))).close();
  // The first calls one by one, since each stage begins with some of them; then a sample of the many writes of initial objects.
  const places = Array.from({ length: counted.calls() }, (_, at) => at).filter((at) => at < 12 || at % 17 === 0);
  const results: unknown[] = [];
  for (const at of places) {
    const tracked = track();
    const { kv } = failing(at, tracked.opened);
    const server = await openServer(optionsOn(kv, tracked)).catch(() => undefined);
    await server?.close(); // a failed question that is repeated does not fail the start
    if (tracked.left().length > 0) results.push({ at, left: tracked.left() });
  }
  expect(results).toEqual([]);
});

type Change = (options: ServerOptions) => Partial<ServerOptions>;
const stages: readonly [stage: string, change: Change][] = [
  ["the core", () => ({ api: undefined as never })], // read by the first stage
  ["the extensions", () => ({ network: new Proxy({}, { get: failWith("network") }) })],
  ["access", ({ access }) => ({ access: { ...access, open: failWith("access") } })],
  ["admission", ({ admission }) => ({ admission: { ...admission, enable: ["NoSuchPlugin"] } })],
  [
    "the handler",
    ({ requests }) => ({ requests: { ...requests, limits: new Proxy({}, { ownKeys: failWith("limits") }) } }),
  ],
  [
    "the initial objects",
    ({ access }) => ({ access: { ...access, published: new Proxy({}, { ownKeys: failWith("published") }) } }),
  ],
];

function failWith(what: string): () => never {
  return () => {
    throw new Error(`${what} failed`);
  };
}

test.each(stages)("if %s cannot be made, what was opened before is closed", async (_stage, change) => {
  const tracked = track();
  const { kv } = failing(Number.POSITIVE_INFINITY, tracked.opened);
  const options = optionsOn(kv, tracked);
  await expect(openServer({ ...options, ...change(options) })).rejects.toThrow();
  expect(tracked.left()).toEqual([]);
});
