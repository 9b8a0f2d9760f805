/** What returns a promise rejects: a caller's `catch` sees every mistake. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import * as testing from "../main/testing.ts";
import * as kit from "./orch-client.ts";
import { type Client, ConfigMap, connect, Deployment } from "./orch-client.ts";

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer({ controllers: false });
  client = await connect({ server });
});
afterAll(() => server.close());

const mistakes: readonly (readonly unknown[])[] = [
  [],
  [""],
  [null],
  [undefined, null],
  [{}],
  [{ metadata: {} }],
  [{ metadata: null }, null],
  ["a", { metadata: {} }, null],
  [42, 42, 42],
];

/** The functions of an object that promise something, called with each of the mistakes: those that throw instead. */
function throwing(of: object, names: readonly string[]): string[] {
  const found: string[] = [];
  for (const name of names)
    for (const mistake of mistakes) {
      const call = Reflect.get(of, name) as (...args: unknown[]) => unknown;
      try {
        const made = call.apply(of, [...mistake]);
        if (made instanceof Promise) made.catch(() => undefined);
        else found.push(`${name} returns no promise`);
      } catch (error) {
        found.push(`${name}(${JSON.stringify(mistake)}): ${String(error)}`);
      }
    }
  return found;
}

test("every call of a resource rejects", () => {
  const maps = client.of(ConfigMap);
  const names = Object.keys(maps).filter((name) => typeof Reflect.get(maps, name) === "function");
  const promising = names.filter((name) => !["list", "watch", "logs"].includes(name));
  expect(promising).toContain("evict");
  expect(throwing(maps, promising)).toEqual([]);
  const { status, scale } = client.of(Deployment);
  expect(throwing(status, Object.keys(status))).toEqual([]);
  expect(throwing(scale, Object.keys(scale))).toEqual([]);
  expect(throwing(maps.list(), ["all"])).toEqual([]);
});

test("so do clients, the functions of the kit, of servers and of tests", async () => {
  expect(throwing(client, ["resource", "discover"])).toEqual([]);
  const promising = [
    "connect",
    "retryOnConflict",
    "installResources",
    "serveWebhook",
    "addFinalizer",
    "removeFinalizer",
  ];
  expect(throwing(kit, promising)).toEqual([]);
  expect(throwing(testing, ["expectObject", "expectGone", "expectAnswer"])).toEqual([]);
  const wrong = null as unknown as object; // as a program in JavaScript may
  await expect(connect(wrong)).rejects.toThrow();
  await expect(server.snapshot("")).rejects.toThrow();
  const copy = await server.fork();
  expect(throwing(copy, ["load", "until", "untilGone", "settled", "reset"])).toEqual([]);
  expect(throwing(copy.clock, ["advance"])).toEqual([]);
  expect(throwing(copy.journal, ["quiet", "replay"])).toEqual([]);
  await copy.close();
});

test("a missing name is said in words", async () => {
  const maps = client.of(ConfigMap);
  await expect(maps.get("")).rejects.toThrow("a name is needed to say which object is meant");
  await expect(maps.apply({ metadata: {} }, { manager: "test" })).rejects.toThrow(TypeError);
  const nothing = null as unknown as string; // as a program in JavaScript may
  await expect(maps.delete(nothing)).rejects.toThrow('an object is named by "namespace/name", "name"');
});
