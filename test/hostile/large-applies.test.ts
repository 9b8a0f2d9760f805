/**
 * Objects of tens of thousands of fields that several managers apply, at level 1.35, where bodies are also checked for unknown and
 * repeated fields. `LONG_TESTS=1` takes as many fields as an object may have, and custom objects too.
 */

import { describe, expect, test } from "vitest";
import { membersMax } from "../../src/machinery/schema/decode-tally.ts";
import { type Answer, useTarget } from "./target.ts";

const target = useTarget({ flags: () => ["--emulated-version=1.35"] });

/** The aim is 100 ms on a machine that has nothing else to do, as for `turns.test.ts`. */
const turnMsMax = 500;
const isLong = process.env["LONG_TESTS"] !== undefined;
const limit = isLong ? 300_000 : 60_000;
const most = isLong ? membersMax - 1_000 : 10_000;

const keys = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));
const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

/** The answer of a request, which must not take a long turn. */
async function short(ask: () => Promise<Answer>): Promise<Answer> {
  const { longestTurnMs, result } = await target.cost(ask);
  expect(longestTurnMs).toBeLessThan(turnMsMax);
  return result;
}

const applyTo = (path: string, manager: string, body: object, force = false) =>
  short(() =>
    target.request(`${path}?fieldManager=${manager}&force=${force}`, {
      method: "PATCH",
      type: "application/apply-patch+yaml",
      body,
    }),
  );

const configMap = "/api/v1/namespaces/default/configmaps/large";
const data = (count: number, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "large" },
  data: keys(count, value),
});

test("N13 100,000 fields are more than an object may have, and the message says how many it may", {
  timeout: limit,
}, async () => {
  const { status, body } = await applyTo(configMap, "a", data(100_000, "v"));
  expect([status, body.message]).toEqual([413, expect.stringContaining(`at most ${membersMax}`)]);
});

test("N13 fields that one manager applies, others want, take and update", { timeout: limit }, async () => {
  expect((await applyTo(configMap, "a", data(most, "v"))).status).toBe(201);
  expect((await applyTo(configMap, "a", data(most, "v"))).status).toBe(200);
  const refused = await applyTo(configMap, "b", data(most, "w"));
  expect([refused.status, refused.body.message]).toEqual([
    409,
    expect.stringContaining(`Apply failed with ${most} conflicts`),
  ]);
  expect([refused.body.message.length < 5_000, refused.bytes.length < 500_000]).toEqual([true, true]);
  expect((await applyTo(configMap, "b", data(most / 2, "w"), true)).status).toBe(200);
  const type = "application/json-patch+json";
  const operations = items(5_000, (at) => ({ op: "replace", path: `/data/k${at}`, value: "q" }));
  const requests = [
    { method: "PUT", body: data(most, "z") },
    { method: "PATCH", type: "application/merge-patch+json", body: { data: keys(most, "y") } },
    { method: "PATCH", type: "application/strategic-merge-patch+json", body: { data: keys(most, "x") } },
    { method: "PATCH", type, body: operations },
  ];
  for (const request of requests) expect((await short(() => target.request(configMap, request))).status).toBe(200);
  const { body } = await target.request(configMap);
  expect([Object.keys(body.data).length, body.data.k0, body.data.k9999]).toEqual([most, "q", "x"]);
  expect((await target.request(configMap, { method: "DELETE" })).status).toBe(200);
});

describe.runIf(isLong)("N13 custom objects", () => {
  const text = { type: "string" };
  const listed = { "x-orch-list-type": "map", "x-orch-list-map-keys": ["name"] };
  const item = { type: "object", required: ["name"], properties: { name: text, v: text } };
  const properties = {
    map: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
    list: { type: "array", ...listed, items: item },
    set: { type: "array", "x-orch-list-type": "set", items: text },
    free: { type: "object", "x-orch-preserve-unknown-fields": true },
  };
  const shapes: Record<keyof typeof properties, (value: string, count: number) => unknown> = {
    map: (v, count) => Object.fromEntries(items(count, (at) => [`n${at}`, { a: v }])),
    list: (v, count) => items(count, (at) => ({ name: `n${at}`, v })),
    set: (_, count) => items(count, (at) => `s${at}`),
    free: (v, count) => keys(count, v),
  };
  const path = "/apis/example.com/v1/namespaces/default/wides";
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  const wide = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Wide", metadata: { name: "large" }, spec });

  test("of every kind of list and map", { timeout: limit }, async () => {
    await target.post("/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
      metadata: { name: "wides.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "wides", kind: "Wide" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await expect.poll(async () => (await target.request(path)).status).toBe(200);
    for (const [name, shape] of Object.entries(shapes)) {
      const one = (value: string, count: number) => wide({ [name]: shape(value, count) });
      const large = `${path}/large`;
      expect([name, (await applyTo(large, "a", one("v", 100_000))).status]).toEqual([name, 413]);
      expect([name, (await applyTo(large, "a", one("v", 12_000))).status]).toEqual([name, 201]);
      expect([name, (await applyTo(large, "b", one("w", 12_000), true)).status]).toEqual([name, 200]);
      expect([name, (await applyTo(large, "a", wide({}))).status]).toEqual([name, 200]);
      await target.request(large, { method: "DELETE" });
    }
  });
});
