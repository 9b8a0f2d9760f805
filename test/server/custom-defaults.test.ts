/** Defaults that a definition gets later multiply what is stored: what reading adds is bounded, and nothing is stuck. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { measureWork } from "../../src/base/processor-time.suite.ts";
import { valueBytesMax } from "../../src/kv/contract.ts";
import { filledBytesMax } from "../../src/machinery/json-schema/coerce.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { ask, definition, definitions, merge, version, widget, widgets } from "./custom-resources.suite.ts";

const objects = 20;
const itemsEach = 2_000;
const large = "x".repeat(200_000);
const items = (fallback?: string) => ({
  type: "array",
  items: {
    type: "object",
    properties: { text: { type: "string", ...(fallback === undefined ? {} : { default: fallback }) } },
  },
});
const definedWith = (fallback?: string) =>
  definition({
    versions: [
      version("v1", {
        schema: { openAPIV3Schema: { type: "object", properties: { items: items(fallback) } } },
        subresources: { status: {} },
      }),
    ],
  });
const addDefault = async (server: OrchServer, fallback: string) => {
  const path = `${definitions}/widgets.example.com`;
  expect((await ask(server, "PATCH", path, { spec: definedWith(fallback).spec }, merge)).status).toBe(200);
};
const empty = (count: number) => Array.from({ length: count }, () => ({}));

/** The longest work between two turns of the event loop while `use` runs. */
async function longestTurn(use: () => Promise<void>): Promise<number> {
  let longest = 0;
  let spentMs = measureWork();
  const look = () => {
    longest = Math.max(longest, spentMs());
    spentMs = measureWork();
  };
  const timer = setInterval(look, 1);
  try {
    await use();
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}

test("an object with its defaults is bounded by what can be stored", () => {
  expect(filledBytesMax).toBeLessThanOrEqual(valueBytesMax);
});

test("a default that multiplies small objects stops neither the start nor reads, patches and deletes", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "orch-defaults-"));
  let server = await createServer({ dataDir });
  try {
    expect((await ask(server, "POST", definitions, definedWith())).status).toBe(201);
    for (let n = 0; n < objects; n += 1) {
      const body = widget(`w${n}`, {
        items: empty(itemsEach),
        metadata: { name: `w${n}`, finalizers: ["example.com/a"] },
      });
      expect((await ask(server, "POST", widgets, body)).status).toBe(201);
    }
    await addDefault(server, large);
    await server.close();

    const before = process.memoryUsage().rss;
    server = await createServer({ dataDir });
    const turn = await longestTurn(async () => {
      const response = await server.fetch(`${widgets}/w0`);
      expect(response.headers.get("warning")).toContain("would make this object too large");
      expect(((await response.json()) as { items: object[] }).items).toEqual(empty(itemsEach));
      expect((await ask(server, "GET", widgets)).body["items"]).toHaveLength(objects);
    });
    expect(turn).toBeLessThan(1_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);

    // A create and a patch that makes an object too large are refused, one that makes it fit is accepted.
    const created = await ask(server, "POST", widgets, widget("new", { items: empty(itemsEach) }));
    expect([created.status, created.body["message"]]).toEqual([
      413,
      expect.stringContaining("the defaults of its definition"),
    ]);
    expect((await ask(server, "POST", widgets, widget("small", { items: empty(1) }))).status).toBe(201);
    expect((await ask(server, "PATCH", `${widgets}/small`, { items: empty(itemsEach) }, merge)).status).toBe(413);
    const fits = await ask(server, "PATCH", `${widgets}/w1`, { items: empty(3) }, merge);
    expect([fits.status, fits.body["items"]]).toEqual([200, Array.from({ length: 3 }, () => ({ text: large }))]);

    // What is too large already can be labelled, deleted and freed of its finalizers.
    expect((await ask(server, "PATCH", `${widgets}/w2`, { metadata: { labels: { a: "b" } } }, merge)).status).toBe(200);
    expect((await ask(server, "DELETE", `${widgets}/w2`)).status).toBe(200);
    expect((await ask(server, "PATCH", `${widgets}/w2`, { metadata: { finalizers: null } }, merge)).status).toBe(200);
    expect((await ask(server, "GET", `${widgets}/w2`)).status).toBe(404);
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true });
  }
});

test("objects that grow by a default that fits are shown with it, and do not stay in memory in that form", async () => {
  const server = await createServer({});
  try {
    const each = "y".repeat(1_000_000);
    const count = 30; // twice of what may stay
    expect((await ask(server, "POST", definitions, definedWith())).status).toBe(201);
    for (let n = 0; n < count; n += 1)
      expect((await ask(server, "POST", widgets, widget(`w${n}`, { items: empty(1) }))).status).toBe(201);
    await addDefault(server, each);
    const before = process.memoryUsage();
    for (let n = 0; n < count; n += 1) {
      const { status, body } = await ask(server, "GET", `${widgets}/w${n}`);
      expect([status, body["items"]]).toEqual([200, [{ text: each }]]);
    }
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const kept = (): number => {
      collect();
      return process.memoryUsage().arrayBuffers - before.arrayBuffers;
    };
    // Buffers are freed some time after the collection that found them unused.
    await expect.poll(kept, { interval: 50 }).toBeLessThan(15_000_000);
  } finally {
    await server.close();
  }
});
