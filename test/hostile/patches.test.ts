/** Patches that double themselves, or cost more than they say. */

import { describe, expect, test } from "vitest";
import {
  applyPatch,
  configMap,
  core,
  deployment,
  jsonPatch,
  mergePatch,
  strategicPatch,
  usePatched,
} from "./patched.ts";

const { target, patch } = usePatched();

describe("C24 patches that double themselves", () => {
  test("C24 doubling: forty copies of a document into itself end at the limit on copied bytes", async () => {
    const operations = [
      { op: "add", path: "/metadata/annotations", value: { a: "x".repeat(1_000) } },
      ...Array.from({ length: 40 }, (_, at) => ({ op: "copy", from: "/metadata", path: `/metadata/x${at}` })),
    ];
    const { status } = await target.beside(() => patch(configMap, jsonPatch, JSON.stringify(operations)));
    expect([413, 422]).toContain(status);
  });

  test("C24 doubling: strings that are copied into lists count as well", async () => {
    const operations = [
      { op: "add", path: "/metadata/finalizers", value: ["x".repeat(100_000)] },
      ...Array.from({ length: 1_000 }, () => ({
        op: "copy",
        from: "/metadata/finalizers/0",
        path: "/metadata/finalizers/-",
      })),
    ];
    expect([413, 422]).toContain((await patch(configMap, jsonPatch, JSON.stringify(operations))).status);
  });

  test("C24 doubling: more than 10,000 operations are too large", async () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }));
    const answer = await patch(configMap, jsonPatch, JSON.stringify(operations));
    expect([answer.status, answer.body.message]).toEqual([413, expect.stringContaining("10000")]);
  });
});

describe("N13 patch cost", () => {
  test("N13 patch cost: 10,000 operations are applied without blocking other requests", async () => {
    const operations = Array.from({ length: 10_000 }, (_, at) => ({
      op: "add",
      path: `/data/k${at % 100}`,
      value: `${at}`,
    }));
    const answer = await target.beside(() => patch(configMap, jsonPatch, JSON.stringify(operations)));
    expect(answer.status).toBe(200);
  });

  test("N13 patch cost: tests of a large value are bounded", async () => {
    const value = "x".repeat(500_000);
    await patch(configMap, mergePatch, JSON.stringify({ data: { large: value } }));
    const operations = [
      ...Array.from({ length: 4 }, () => ({ op: "test", path: "/data/large", value })),
      ...Array.from({ length: 9_000 }, () => ({ op: "test", path: "/data/large", value: "x" })),
    ];
    const answer = await target.beside(() => patch(configMap, jsonPatch, JSON.stringify(operations)));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  test("N13 patch cost: 10,000 tests of a whole large document are bounded", async () => {
    const value = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, "v"]));
    const created = await target.post(`${core}/configmaps`, { metadata: { name: "wide" }, data: value });
    expect(created.status).toBe(201);
    const operations = Array.from({ length: 100 }, () => ({ op: "test", path: "/data", value }));
    const answer = await target.beside(() => patch(`${core}/configmaps/wide`, jsonPatch, JSON.stringify(operations)));
    expect([200, 413, 422]).toContain(answer.status);
    const copies = [
      ...Array.from({ length: 9_998 }, () => ({ op: "copy", from: "/data", path: "/metadata/annotations" })),
    ];
    const copied = await target.beside(() => patch(`${core}/configmaps/wide`, jsonPatch, JSON.stringify(copies)));
    expect([413, 422]).toContain(copied.status);
  });

  const indices = [
    "4294967294",
    "4294967295",
    "9007199254740993",
    "-1",
    "01",
    "1e1",
    "",
    " 0",
    "0x0",
    "-",
    "--",
    "NaN",
    "length",
    "99999999999999999999",
  ];
  for (const index of indices) {
    test(`N13 patch cost: the index ${JSON.stringify(index)} does not create a sparse list`, async () => {
      const path = `${core}/pods/target?dryRun=All`;
      for (const op of ["add", "replace", "remove", "test", "copy", "move"]) {
        const operation = {
          op,
          path: `/spec/containers/${index}`,
          from: `/spec/containers/${index}`,
          value: { name: "d", image: "i" },
        };
        const answer = await patch(path, jsonPatch, JSON.stringify([operation]));
        expect([op, answer.status < 500]).toEqual([op, true]);
        if (answer.status === 200) expect(answer.body.spec.containers.length).toBeLessThanOrEqual(2);
      }
    });
  }

  const wrong = [
    "{}",
    '"x"',
    "[1]",
    "[null]",
    "[[]]",
    '[{"op":"fly","path":"/a"}]',
    '[{"op":"add"}]',
    '[{"op":"add","path":"data"}]',
    '[{"op":"add","path":""}]',
    '[{"op":"move","from":"/data","path":"/data/a/b"}]',
    '[{"op":"move","from":"","path":"/data"}]',
    '[{"op":"copy","path":"/data"}]',
    '[{"op":"add","path":1,"value":1}]',
    '[{"op":"remove","path":""}]',
    '[{"op":"replace","path":"","value":null}]',
    '[{"op":"replace","path":"","value":[]}]',
    '[{"op":"test","path":"/a/b/c/d","value":1}]',
    '[{"op":"replace","path":"/metadata","value":null}]',
    '[{"op":"replace","path":"/metadata","value":"x"}]',
    '[{"op":"remove","path":"/metadata"}]',
    '[{"op":"replace","path":"/kind","value":"Secret"}]',
  ];
  for (const bytes of wrong) {
    test(`N13 patch cost: ${bytes} is refused`, async () => {
      const { status, body } = await patch(configMap, jsonPatch, bytes);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(body.kind).toBe("Status");
    });
  }

  test("N13 patch cost: lists of thousands of items merge by key in linear time", async () => {
    const env = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `E${at}`, value: "v" }));
    const body = (count: number) => JSON.stringify({ spec: { containers: [{ name: "c", env: env(count) }] } });
    const wide = (count: number) => JSON.stringify({ spec: { template: JSON.parse(body(count)) } });
    const took = async (count: number) => {
      const begin = performance.now();
      const { status } = await target.beside(() => patch(deployment, strategicPatch, wide(count)));
      expect(status).toBe(200);
      return performance.now() - begin;
    };
    await took(2_000);
    await took(2_000);
    // A quadratic merge of 8,000 items would take minutes.
    expect(await took(8_000)).toBeLessThan(20_000);
    const order = JSON.stringify({
      spec: {
        template: {
          spec: { containers: [{ name: "c", "$setElementOrder/env": env(8_000).reverse(), env: env(8_000) }] },
        },
      },
    });
    expect((await target.beside(() => patch(deployment, strategicPatch, order))).status).toBeLessThan(500);
  });

  test("N13 patch cost: two hundred managers of one object are bounded", async () => {
    const apply = (at: number) =>
      patch(
        `${core}/configmaps/managed?fieldManager=m${at}`,
        applyPatch,
        JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "managed" },
          data: { [`k${at}`]: "v" },
        }),
      );
    await target.beside(async () => {
      for (let at = 0; at < 200; at++) expect((await apply(at)).status).toBeLessThan(300);
    });
    const updates = Array.from({ length: 40 }, (_, at) =>
      patch(
        `${core}/configmaps/managed?fieldManager=u${at}`,
        mergePatch,
        JSON.stringify({ data: { [`u${at}`]: "v" } }),
      ),
    );
    for (const { status } of await Promise.all(updates)) expect(status).toBe(200);
  });

  test("N13 patch cost: an apply of thousands of fields does not block other requests", async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, "v"]));
    const bytes = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied-wide" }, data });
    const path = `${core}/configmaps/applied-wide?fieldManager=wide`;
    await target.beside(async () => {
      expect((await patch(path, applyPatch, bytes)).status).toBeLessThan(500);
      expect((await patch(`${path}2`, applyPatch, bytes)).status).toBeLessThan(500);
    });
  });

  test("N13 patch cost: an applied configuration that is a bomb is a bad request", async () => {
    const levels = Array.from(
      { length: 9 },
      (_, at) =>
        `a${at}: &a${at} [${Array(9)
          .fill(at === 0 ? "x" : `*a${at - 1}`)
          .join(",")}]`,
    );
    const path = `${configMap}?fieldManager=m`;
    expect((await patch(path, applyPatch, levels.join("\n"))).status).toBe(400);
    expect((await patch(path, applyPatch, "[".repeat(15_000))).status).toBe(400);
  });
});

describe("C14 objects of the past stay unchanged", () => {
  test("C14 aliasing: an update does not change what a watch shows of the earlier state", async () => {
    const path = `${core}/configmaps/alias`;
    const first = await target.post(`${core}/configmaps`, {
      metadata: { name: "alias", labels: { a: "1" } },
      data: { a: "1" },
    });
    const version = first.body.metadata.resourceVersion;
    const second = await patch(path, mergePatch, '{"data":{"a":"2"},"metadata":{"labels":{"a":"2"}}}');
    const exact = await target.request(
      `${core}/configmaps?resourceVersion=${version}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3Dalias`,
    );
    expect(exact.body.items).toEqual([withoutType(first.body)]);
    const watched = await target.request(
      `${core}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=${version}&fieldSelector=metadata.name%3Dalias`,
    );
    const events = watched.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events[0]).toEqual({ type: "MODIFIED", object: second.body });
  });

  function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: Record<string, unknown>): unknown {
    return rest;
  }
});
