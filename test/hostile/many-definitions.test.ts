/**
 * Definitions by the thousand: what one more costs does not grow with those that are there, no turn does something for all of them,
 * and what they took comes back. 150 in a run of all tests; `LONG_TESTS=1` makes 10,000 in some minutes.
 */

import { describe, expect, test } from "vitest";
import { checkTurns, useTarget } from "./target.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const count = isLong ? 10_000 : 150;
const groups = isLong ? 100 : 10;
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
/** How many come first, so that the code is compiled when the cost is measured. */
const compiled = 20;
/** What a definition may keep of the memory after it was deleted. */
const leftBytesMax = 5_000;

function definition(at: number) {
  const group = `g${at % groups}.example.com`;
  const names = { plural: `things${at}`, singular: `thing${at}`, kind: `Thing${at}`, listKind: `Thing${at}List` };
  const spec = {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "array", items: { type: "string" } } },
  };
  const openAPIV3Schema = { type: "object", properties: { spec, status: { type: "object" } } };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  return {
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope: at % 2 === 0 ? "Namespaced" : "Cluster", names, versions: [version] },
  };
}

describe(`${count} definitions`, () => {
  const target = useTarget({
    command: "up",
    explainsTurns: true,
    flags: () => ["--emulated-version=1.35", "--kvstore-compaction-interval=20s"],
  });

  async function create(from: number, to: number): Promise<void> {
    let next = from;
    const work = async () => {
      while (next < to) expect((await target.post(definitions, definition(next++))).status).toBe(201);
    };
    await Promise.all(Array.from({ length: 8 }, work));
  }

  test("N35 one more costs no more, no turn is long, and the memory comes back", { timeout: 1_800_000 }, async () => {
    await create(count, count + compiled);
    for (const path of ["/openapi/v2", "/openapi/v3"]) await target.request(path);
    const before = await target.usedBytes();
    const fifth = count / 5;
    const first = await target.cost(() => create(0, fifth));
    const middle = await target.cost(() => create(fifth, count - fifth));
    const last = await target.cost(() => create(count - fifth, count));
    for (const cost of [first, middle, last]) checkTurns(cost);
    expect(last.totalMs).toBeLessThan(first.totalMs * 3 + 1_000);

    const reading = await target.cost(async () => {
      for (const path of ["/apis", "/openapi/v2", "/openapi/v3", `${definitions}?limit=500`])
        expect((await target.request(path)).status).toBe(200);
    });
    checkTurns(reading);

    const namespace = await target.cost(async () => {
      await target.post("/api/v1/namespaces", { metadata: { name: "short-lived" } });
      await target.request("/api/v1/namespaces/short-lived", { method: "DELETE" });
      const look = async () => (await target.request("/api/v1/namespaces/short-lived")).status;
      await expect.poll(look, { timeout: 300_000, interval: 200 }).toBe(404);
    });
    checkTurns(namespace);

    const deleting = await target.cost(async () => {
      let next = 0;
      const work = async () => {
        while (next < count + compiled) {
          const path = `${definitions}/${definition(next++).metadata.name}`;
          expect((await target.request(path, { method: "DELETE" })).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      const left = async () => (await target.request(`${definitions}?limit=1`)).body?.items.length;
      await expect.poll(left, { timeout: 300_000, interval: 200 }).toBe(0);
    });
    checkTurns(deleting);
    await expect
      .poll(async () => (await target.usedBytes()) - before, { timeout: 180_000, interval: 5_000 })
      .toBeLessThan(20_000_000 + count * leftBytesMax);
  });
});
