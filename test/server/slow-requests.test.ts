import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../../src/base/clock.ts";
import type { Log } from "../../src/base/log.ts";
import { createServer, kinds, type OrchServer, on, plugin } from "../../src/main/library.ts";

let server: OrchServer | undefined;
afterEach(() => server?.close());

const maps = "/api/v1/namespaces/default/configmaps";

/** A server on whose clock admission of a ConfigMap takes as long as its data says. */
async function slowServer(): Promise<{
  traces: Record<string, unknown>[];
  create(name: string, ms: number): Promise<number>;
}> {
  const traces: Record<string, unknown>[] = [];
  const none = () => {};
  const log: Log = {
    debug: none,
    info: none,
    error: none,
    warn: (message, fields) => message === "trace: slow request" && traces.push(fields ?? {}),
  };
  const clock = createManualClock(1_700_000_000_000);
  const waits = plugin("Waits", [
    on(kinds.ConfigMap, "CREATE", {
      mutate: ({ object }) => clock.advance(Number(object.data?.["ms"] ?? 0)),
    }),
  ]);
  const made = await createServer({ clock, log, controllers: false, admission: [waits] });
  server = made;
  return {
    traces,
    async create(name, ms) {
      const body = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data: { ms: String(ms) },
      });
      return (await made.fetch(maps, { method: "POST", headers: { "content-type": "application/json" }, body })).status;
    },
  };
}

test("a request that takes half a second is logged with its steps, and faster ones are not", async () => {
  const { create, traces } = await slowServer();
  expect(await create("fast", 499)).toBe(201);
  expect(traces).toEqual([]);
  expect(await create("slow", 700)).toBe(201);
  expect(traces).toHaveLength(1);
  expect(traces[0]).toMatchObject({ method: "POST", path: maps, verb: "create", user: "admin", code: 201, ms: 700 });
  expect(traces[0]!["steps"]).toEqual({
    authentication: 0,
    queue: 0,
    authorization: 0,
    body: 0,
    object: 0,
    admission: 700,
    store: 0,
    encode: 0,
  });
});
