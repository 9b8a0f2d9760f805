/** What apply does to an object and to its owners. */

import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import type { StatusError } from "../status/status.ts";
import { applyConfiguration } from "./apply.ts";
import { SampleServer, sample, sampleBeta } from "./sample-kind.suite.ts";

const refused = (run: () => unknown): StatusError => {
  try {
    run();
  } catch (problem) {
    return problem as StatusError;
  }
  return expect.unreachable("it was not refused");
};
const causes = (problem: StatusError) => problem.details?.causes?.map((cause) => cause.field);

describe("one manager", () => {
  test("owns the fields it sets, but not the defaults", () => {
    const server = new SampleServer();
    server.apply("m1", {
      metadata: { labels: { l: "1" } },
      spec: {
        selector: { match: { a: "b" } },
        parts: [{ name: "c", image: "i", ports: [{ port: 80 }], limits: { cpu: "1000m" } }],
        words: ["x"],
        atoms: ["y"],
        colors: { r: "1" },
        whole: { w: "1" },
        nested: {},
        raw: { any: { thing: 1 } },
      },
    });
    expect(server.owners()).toEqual({
      "m1 Apply v1": {
        "f:metadata": { "f:labels": { "f:l": {} } },
        "f:spec": {
          "f:atoms": {},
          "f:colors": { "f:r": {} },
          "f:nested": {},
          "f:parts": {
            'k:{"name":"c"}': {
              ".": {},
              "f:image": {},
              "f:limits": { "f:cpu": {} },
              "f:name": {},
              "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
            },
          },
          "f:raw": {},
          "f:selector": {},
          "f:whole": {},
          "f:words": { 'v:"x"': {} },
        },
      },
    });
    expect(server.spec()).toMatchObject({ replicas: 1, parts: [{ policy: "Always", limits: { cpu: "1" } }] });
  });

  test("applying the same configuration again changes nothing, not even the time", () => {
    const server = new SampleServer();
    const first = server.apply("m1", { spec: { parts: [{ name: "c", image: "i" }], replicas: 2 } });
    expect(server.apply("m1", { spec: { parts: [{ name: "c", image: "i" }], replicas: 2 } })).toEqual(first);
  });

  test("a field that it omits is removed, and gets its default again", () => {
    const server = new SampleServer();
    server.apply("m1", {
      metadata: { labels: { l: "1" } },
      spec: {
        replicas: 3,
        parts: [{ name: "c", image: "i", policy: "Never" }, { name: "d" }],
        colors: { r: "1", g: "2" },
        atoms: ["x"],
        words: ["a", "b"],
      },
    });
    server.apply("m1", { spec: { parts: [{ name: "c", image: "i" }], colors: { g: "2" }, words: ["b"] } });
    expect(server.spec()).toEqual({
      replicas: 1,
      parts: [{ name: "c", image: "i", policy: "Always" }],
      colors: { g: "2" },
      words: ["b"],
    });
    expect(server.live?.metadata.labels).toBeUndefined();
  });

  test("null owns a field without setting it", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { parts: null, nested: null, colors: { r: null } } });
    expect(server.owners()).toEqual({
      "m1 Apply v1": { "f:spec": { "f:colors": { "f:r": {} }, "f:nested": {}, "f:parts": {} } },
    });
    expect(server.spec()["nested"]).toBeUndefined();
  });

  test("an empty keyed list sets nothing, an empty atomic list is set", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { parts: [], atoms: [] } });
    expect(server.owners()).toEqual({ "m1 Apply v1": { "f:spec": { "f:atoms": {} } } });
  });

  test("an empty configuration owns nothing", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { replicas: 2 } });
    server.apply("m1", {});
    expect(server.owners()).toEqual({});
    expect(server.spec()["replicas"]).toBe(1);
  });

  test("items are in the order of the configuration, and items of others stay before their neighbours", () => {
    const names = (server: SampleServer) => (server.spec()["parts"] as { name: string }[]).map((part) => part.name);
    const parts = (...given: string[]) => ({ spec: { parts: given.map((name) => ({ name })) } });
    const server = new SampleServer();
    server.apply("m1", parts("b", "d"));
    server.apply("m2", parts("a", "d", "c"));
    expect(names(server)).toEqual(["b", "a", "d", "c"]);
    server.apply("m1", parts("d", "b"));
    expect(names(server), "another order alone is not a change").toEqual(["b", "a", "d", "c"]);
    server.apply("m3", parts("c", "b", "z"));
    expect(names(server)).toEqual(["a", "d", "c", "b", "z"]);
  });
});

describe("several managers", () => {
  test("a different value for a field of another manager is a conflict that names the managers and fields", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1", g: "1" } } });
    server.put("u1", { metadata: server.live?.metadata, spec: { colors: { r: "1", g: "1", b: "1" } } });
    const problem = refused(() => server.apply("m2", { spec: { colors: { r: "2", g: "1", b: "2" }, replicas: 5 } }));
    expect(problem.toStatus()).toMatchObject({
      code: 409,
      reason: "Conflict",
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            field: ".spec.colors.b",
            message: expect.stringContaining('conflict with "u1" using'),
          },
          { reason: "FieldManagerConflict", field: ".spec.colors.r", message: 'conflict with "m1"' },
        ],
      },
    });
    expect(problem.message).toMatch(
      /^Apply failed with 2 conflicts: conflicts with "m1":\n- \.spec\.colors\.r\nconflicts with "u1" using .*:\n- \.spec\.colors\.b$/,
    );
  });

  test("force takes the field from the others", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1", g: "1" } } });
    server.apply("m2", { spec: { colors: { r: "2" } } }, { force: true });
    expect(server.spec()["colors"]).toEqual({ r: "2", g: "1" });
    expect(server.owners()).toEqual({
      "m1 Apply v1": { "f:spec": { "f:colors": { "f:g": {} } } },
      "m2 Apply v1": { "f:spec": { "f:colors": { "f:r": {} } } },
    });
  });

  test("a field set to the same value is shared, and stays until its last owner omits it", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1" } } });
    server.apply("m2", { spec: { colors: { r: "1" } } });
    server.apply("m1", { spec: {} });
    expect(server.spec()["colors"]).toEqual({ r: "1" });
    server.apply("m2", { spec: {} });
    expect(server.spec()["colors"]).toBeUndefined();
  });

  test("an applier does not delete a field that an updater added and that it never set", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1" }, parts: [{ name: "c" }] } });
    server.mergePatch("u1", { spec: { colors: { b: "2" } } });
    server.apply("m1", { spec: { parts: [{ name: "c" }] } });
    expect(server.spec()["colors"]).toEqual({ b: "2" });
  });

  test("an item that its creator omits keeps the fields that others own in it", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { parts: [{ name: "c", image: "i", args: ["x"] }] } });
    server.apply("m2", { spec: { parts: [{ name: "c", image: "i" }] } });
    server.apply("m1", { spec: {} });
    expect(server.spec()["parts"]).toEqual([{ name: "c", image: "i", policy: "Always" }]);
  });

  test("key defaults name the same item", () => {
    const server = new SampleServer();
    const ports = (port: object) => ({ spec: { parts: [{ name: "c", ports: [port] }] } });
    server.apply("m1", ports({ port: 80, name: "web" }));
    const problem = refused(() => server.apply("m2", ports({ port: 80, protocol: "TCP", name: "other" })));
    expect(causes(problem)).toEqual(['.spec.parts[name="c"].ports[port=80,protocol="TCP"].name']);
  });

  test("an atomic list in another order, and a quantity in another notation, are different values", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { atoms: ["a", "b"], parts: [{ name: "c", limits: { cpu: "1000m" } }] } });
    expect(causes(refused(() => server.apply("m2", { spec: { atoms: ["b", "a"] } })))).toEqual([".spec.atoms"]);
    const limits = (cpu: string) => ({ spec: { parts: [{ name: "c", limits: { cpu } }] } });
    expect(causes(refused(() => server.apply("m2", limits("1000m"))))).toEqual(['.spec.parts[name="c"].limits.cpu']);
    server.apply("m2", limits("1"));
  });

  test("members of sets are owned one by one", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { words: ["a", "b"] } });
    server.apply("m2", { spec: { words: ["b", "c"] } });
    server.apply("m1", { spec: {} });
    expect(server.spec()["words"]).toEqual(["b", "c"]);
  });

  test("the fields of an unmanaged object belong to before-first-apply", () => {
    const server = new SampleServer();
    server.put("", { spec: { colors: { r: "1" } } });
    expect(causes(refused(() => server.apply("m1", { spec: { colors: { r: "2" } } })))).toEqual([".spec.colors.r"]);
    server.apply("m1", { spec: { colors: { g: "1" } } });
    expect(server.owners()).toEqual({
      "m1 Apply v1": { "f:spec": { "f:colors": { "f:g": {} } } },
      "before-first-apply Update v1": { "f:spec": { "f:colors": { ".": {}, "f:r": {} }, "f:replicas": {} } },
    });
  });
});

describe("the status path", () => {
  test("owns only status and metadata; a write of the object itself never owns status", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { replicas: 2 } });
    server.apply(
      "m1",
      { metadata: { labels: { x: "y" }, annotations: { n: "1" } }, spec: { replicas: 9 }, status: { phase: "Up" } },
      { subresource: "status" },
    );
    expect(server.owners()["m1 Apply v1"]).toEqual({
      "f:metadata": { "f:annotations": { "f:n": {} } },
      "f:status": { "f:phase": {} },
    });
    server.apply("m2", { spec: { paused: true }, status: { phase: "Down" } });
    expect(server.owners()["m2 Apply v1"]).toEqual({ "f:spec": { "f:paused": {} } });
  });
});

describe("versions", () => {
  test("a conflict is found across versions, and names the field as the owner's version does", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { size: 3, colors: { r: "1" } } }, { kind: sampleBeta });
    expect(server.owners()).toEqual({ "m1 Apply v1beta1": { "f:spec": { "f:colors": { "f:r": {} }, "f:size": {} } } });
    expect(causes(refused(() => server.apply("m2", { spec: { replicas: 4 } })))).toEqual([".spec.size"]);
    server.apply("m2", { spec: { replicas: 4 } }, { force: true });
    expect(server.owners()).toEqual({
      "m1 Apply v1beta1": { "f:spec": { "f:colors": { "f:r": {} } } },
      "m2 Apply v1": { "f:spec": { "f:replicas": {} } },
    });
  });

  test("a field applied in one version and omitted in another is removed", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { size: 3, colors: { r: "1" }, words: ["a"] } }, { kind: sampleBeta });
    server.apply("m2", { spec: { words: ["b"] } });
    server.apply("m1", { spec: { colors: { r: "1" } } });
    expect(server.spec()).toEqual({ replicas: 1, parts: null, colors: { r: "1" }, words: ["b"] });
    expect(server.owners()["m1 Apply v1"]).toEqual({ "f:spec": { "f:colors": { "f:r": {} } } });
  });

  test("managers of versions that no longer exist are dropped", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { replicas: 2 } });
    server.mergePatch("u1", {
      metadata: {
        managedFields: [
          {
            manager: "x",
            operation: "Apply",
            apiVersion: "sample.orch.io/v0",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": {} },
          },
        ],
      },
    });
    expect(server.owners()).toEqual({});
  });
});

describe("the command line", () => {
  const annotation = "ctl.orch.io/last-applied-configuration";
  const lastApplied = (colors: object) =>
    JSON.stringify({ apiVersion: sample.apiVersion, kind: "Sample", metadata: { name: "a" }, spec: { colors } });

  test("takes over the fields that its annotation lists, and keeps the annotation current", () => {
    const server = new SampleServer();
    server.put("client", {
      metadata: { annotations: { [annotation]: lastApplied({ r: "1" }) } },
      spec: { colors: { r: "1" } },
    });
    expect(refused(() => server.apply("m1", { spec: { colors: { r: "2" } } })).code).toBe(409);
    const next = server.apply("ctl", { spec: { colors: { r: "2" } } });
    expect(next.metadata.annotations?.[annotation]).toBe(
      `{"apiVersion":"${sample.apiVersion}","kind":"Sample","metadata":{"name":"a"},"spec":{"colors":{"r":"2"}}}\n`,
    );
  });

  test("gets a conflict if the value is not the one it applied, or if the annotation cannot be read", () => {
    for (const text of [
      lastApplied({ r: "other" }),
      "{broken",
      '{"apiVersion":"v9"}',
      "[]",
      lastApplied({ r: 5 as never }),
    ]) {
      const server = new SampleServer();
      server.put("client", { metadata: { annotations: { [annotation]: text } }, spec: { colors: { r: "1" } } });
      expect(refused(() => server.apply("ctl", { spec: { colors: { r: "2" } } })).code).toBe(409);
    }
  });
});

describe("refusals", () => {
  const apply = (applied: unknown) =>
    applyConfiguration({
      kind: sample,
      live: undefined,
      applied,
      manager: "m",
      force: false,
      subresource: "",
      now: "",
    });
  const body = (spec: unknown, metadata: unknown = { name: "a" }) => ({
    apiVersion: sample.apiVersion,
    kind: "Sample",
    metadata,
    spec,
  });
  const cases: { why: string; applied: unknown }[] = [
    { why: "not an object", applied: [] },
    { why: "null", applied: null },
    { why: "no apiVersion", applied: { kind: "Sample" } },
    { why: "another apiVersion", applied: { apiVersion: "sample.orch.io/v9", kind: "Sample" } },
    { why: "another kind", applied: { apiVersion: sample.apiVersion, kind: "Other" } },
    { why: "managedFields", applied: body({}, { managedFields: [] }) },
    { why: "an unknown field", applied: body({ zz: 1 }) },
    { why: "an unknown field in an atomic list", applied: body({ parts: [{ name: "c", zz: 1 }] }) },
    { why: "a number for a string", applied: body({ colors: { r: 1 } }) },
    { why: "a string for a number", applied: body({ replicas: "many" }) },
    { why: "an object for a list", applied: body({ parts: {} }) },
    { why: "a list for an object", applied: body([]) },
    { why: "a scalar item", applied: body({ parts: ["c"] }) },
    { why: "a null item of a keyed list", applied: body({ parts: [null] }) },
    { why: "a null item of a set", applied: body({ words: [null] }) },
    { why: "two items of one key", applied: body({ parts: [{ name: "c" }, { name: "c" }] }) },
    {
      why: "two items with the same key after defaulting",
      applied: body({ parts: [{ name: "c", ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] }] }),
    },
    { why: "two equal values of a set", applied: body({ words: ["a", "a"] }) },
    { why: "a fraction for an integer", applied: body({ replicas: 1.5 }) },
    { why: "an object as int-or-string", applied: body({ surge: {} }) },
    { why: "metadata that is not an object", applied: body({}, "x") },
    {
      why: "the prototype as a field",
      applied: JSON.parse(`{"apiVersion":"${sample.apiVersion}","kind":"Sample","__proto__":{}}`),
    },
  ];
  for (const { why, applied } of cases) test(why, () => expect(refused(() => apply(applied)).code).toBe(400));

  test("a uid in the apply of an object that does not exist is a conflict", () => {
    expect(refused(() => apply(body({}, { name: "a", uid: "x" }))).code).toBe(409);
  });

  test("a live list with a duplicate key must be repaired first", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { parts: [{ name: "c" }, { name: "c" }] } });
    expect(server.owners(), "a list with a duplicate key has no owners").toEqual({});
    expect(refused(() => server.apply("m1", { spec: { replicas: 2 } })).code).toBe(422);
  });
});

test("a thousand managers and ten thousand items are merged at a bounded cost", () => {
  const server = new SampleServer();
  const managers = Array.from({ length: 1_000 }, (_, i) => ({
    manager: `m${i}`,
    operation: "Apply",
    apiVersion: sample.apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:colors": { [`f:c${i}`]: {} } } },
  }));
  const colors = Object.fromEntries(managers.map((_, i) => [`c${i}`, "1"]));
  server.put("u", { spec: { colors } });
  server.mergePatch("u", { metadata: { managedFields: managers } });
  const words = Array.from({ length: 10_000 }, (_, i) => `w${i}`);
  const spentMs = measureWork();
  server.apply("big", { spec: { words } });
  server.apply("big", { spec: { words: words.slice(1) } });
  server.apply("other", { spec: { colors: { c5: "2" } } }, { force: true });
  expect(spentMs()).toBeLessThan(30_000);
  expect(server.spec()["words"]).toHaveLength(9_999);
});
