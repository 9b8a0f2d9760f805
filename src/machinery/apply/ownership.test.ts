/** Who owns what after creates, updates and plain patches. */

import { describe, expect, test } from "vitest";
import { createFeatureGates } from "../../api/feature-gates.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import { readManagers, updatersMax, writeManagers } from "./managed.ts";
import { trackNow } from "./ownership.ts";
import { reconcile } from "./reconcile.ts";
import { environment, SampleServer, sample, sampleBeta, sampleToday } from "./sample-kind.suite.ts";

const entry = (manager: string, fieldsV1: unknown, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: sample.apiVersion,
  time: "2021-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});

describe("a create", () => {
  test("owns every field that is set or defaulted", () => {
    const server = new SampleServer();
    server.put("u1", {
      metadata: { labels: { l: "1" }, finalizers: ["f"], annotations: {} },
      spec: { nested: { a: "1" }, parts: [{ name: "c" }] },
      status: { phase: "Up" },
    });
    expect(server.owners()).toEqual({
      "u1 Update v1": {
        "f:metadata": { "f:finalizers": { ".": {}, 'v:"f"': {} }, "f:labels": { ".": {}, "f:l": {} } },
        "f:spec": {
          "f:nested": { ".": {}, "f:a": {} },
          "f:parts": { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:policy": {} } },
          "f:replicas": {},
        },
      },
    });
  });

  test("takes the fields it sets from the managers in its body, and leaves them the rest", () => {
    const owned = { "u1 Update v1": { "f:spec": { "f:replicas": {} } } };
    for (const managedFields of [[], [{}], [entry("chosen", { "f:spec": { "f:replicas": {} } })]]) {
      const server = new SampleServer();
      server.put("u1", { metadata: { managedFields } });
      expect(server.owners()).toEqual(owned);
    }
    const server = new SampleServer();
    server.put("u1", { metadata: { managedFields: [entry("chosen", { "f:spec": {} })] } });
    expect(server.owners()).toEqual({ "chosen Update v1": { "f:spec": {} }, ...owned });
  });
});

describe("an update", () => {
  test("takes the fields it changes from updaters and appliers, and loses those it removes", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1", g: "1" }, parts: [{ name: "c", image: "1" }] } });
    server.mergePatch("u1", { spec: { colors: { r: "2", b: "1" } } });
    server.mergePatch("u2", { spec: { colors: { g: null } } });
    expect(server.owners()).toEqual({
      "m1 Apply v1": { "f:spec": { "f:parts": { 'k:{"name":"c"}': { ".": {}, "f:image": {}, "f:name": {} } } } },
      "u1 Update v1": { "f:spec": { "f:colors": { "f:b": {}, "f:r": {} } } },
    });
  });

  test("that changes nothing keeps the same managed fields", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { colors: { r: "1" } } });
    const books = server.live?.metadata.managedFields;
    const next = structuredClone(server.live)!;
    trackNow({
      kind: sample,
      live: server.live,
      next,
      manager: "u2",
      subresource: "",
      now: "2030-01-01T00:00:00Z",
    });
    expect(next.metadata.managedFields).toBe(books);
  });

  test("moves the time of its entry only when it owns more or less than before", () => {
    const server = new SampleServer();
    const timeOf = (manager: string) =>
      server.live?.metadata.managedFields?.find((one) => one.manager === manager)?.time;
    server.put("u1", { spec: { colors: { r: "1" } } });
    const first = timeOf("u1");
    server.mergePatch("u1", { spec: { colors: { r: "2" } } });
    expect(timeOf("u1")).toBe(first);
    server.mergePatch("u1", { spec: { colors: { g: "2" } } });
    expect(timeOf("u1")).not.toBe(first);
  });

  test("of an object without managed fields does not start to manage it", () => {
    const server = new SampleServer();
    server.put("", {});
    server.mergePatch("u1", { spec: { colors: { r: "1" } } });
    expect(server.live?.metadata.managedFields).toBeUndefined();
  });

  test("in two versions makes two entries for one manager", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { size: 2, parts: [{ name: "c" }] } }, { kind: sampleBeta });
    server.mergePatch("u1", { spec: { replicas: 3, paused: true } });
    expect(server.owners()).toEqual({
      "u1 Update v1beta1": { "f:spec": { "f:parts": { 'k:{"name":"c"}': { ".": {}, "f:name": {}, "f:policy": {} } } } },
      "u1 Update v1": { "f:spec": { "f:paused": {}, "f:replicas": {} } },
    });
  });

  test("through the status path owns status, and ignores managedFields of the body", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { colors: { r: "1" } } });
    server.mergePatch(
      "u2",
      { metadata: { managedFields: [{}], labels: { x: "y" } }, status: { phase: "Up" }, spec: { colors: { r: "2" } } },
      { subresource: "status" },
    );
    expect(server.owners()).toEqual({
      "u1 Update v1": { "f:spec": { "f:colors": { ".": {}, "f:r": {} }, "f:replicas": {} } },
      "u2 Update v1": { "f:status": { "f:phase": {} } },
    });
  });

  test("through a path of another kind is not tracked", () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { replicas: 2 } });
    server.mergePatch("u1", { spec: { replicas: 5 } }, { subresource: "scale" });
    expect(server.owners()).toEqual({ "m1 Apply v1": { "f:spec": { "f:replicas": {} } } });
  });

  describe("at level 1.35", () => {
    const kind = sampleToday;
    const entriesOf = ({ live }: SampleServer) =>
      live?.metadata.managedFields?.map(({ manager, subresource = "", time = "" }) => [
        manager,
        subresource,
        time !== "",
      ]);

    test("through a path of another kind owns what it changes, without a time", () => {
      const server = new SampleServer();
      server.put("u1", { spec: { replicas: 2, colors: { r: "1" } } }, { kind });
      server.mergePatch("u1", { spec: { replicas: 5 } }, { kind, subresource: "scale" });
      expect(entriesOf(server)).toEqual([
        ["u1", "scale", false],
        ["u1", "", true],
      ]);
    });

    test("the time of an updater is that of its last change of a value", () => {
      const server = new SampleServer();
      server.put("u1", { spec: { colors: { r: "1" } } }, { kind });
      server.mergePatch("u2", { spec: { colors: { g: "1" } } }, { kind });
      server.mergePatch("u1", { spec: { colors: { r: "2" } } }, { kind });
      expect(entriesOf(server)?.map(([manager]) => manager)).toEqual(["u2", "u1"]);
    });

    test("an apply that changes nothing of the object does not set the time of its manager", () => {
      const server = new SampleServer();
      server.apply("m1", { spec: { colors: { r: "1" } } }, { kind });
      const before = server.live?.metadata.managedFields?.[0]?.time;
      server.apply("m2", { spec: { colors: { r: "1" } } }, { kind });
      expect(entriesOf(server)).toEqual([
        ["m2", "", false],
        ["m1", "", true],
      ]);
      server.apply("m1", {}, { kind });
      server.apply("m2", { spec: { colors: { r: "2" } } }, { kind });
      expect(entriesOf(server)).toEqual([["m2", "", true]]);
      expect(server.live?.metadata.managedFields?.[0]?.time).not.toBe(before);
    });
  });

  test("without the feature drops the managed fields", () => {
    const gates = createFeatureGates(new Map([["ServerSideApply", false]]));
    const kind = { ...sample, family: { ...sample.family, environment: { ...environment, gates } } };
    const next = { metadata: { name: "a", managedFields: [entry("x", {})] } };
    trackNow({ kind, live: undefined, next, manager: "u1", subresource: "", now: "" });
    expect(next.metadata).toEqual({ name: "a" });
  });
});

describe("managedFields that a client writes", () => {
  const start = () => {
    const server = new SampleServer();
    server.apply("m1", { spec: { colors: { r: "1" } } });
    return server;
  };
  const owned = { "m1 Apply v1": { "f:spec": { "f:colors": { "f:r": {} } } } };

  test("replace those of the object", () => {
    const server = start();
    server.mergePatch("u1", {
      metadata: { managedFields: [entry("chosen", { "f:spec": { "f:colors": { "f:r": {} } } })] },
    });
    expect(server.live?.metadata.managedFields).toEqual([entry("chosen", { "f:spec": { "f:colors": { "f:r": {} } } })]);
  });

  test("are ignored if one of them cannot be read, or if there are none", () => {
    const fields = { "f:spec": {} };
    for (const managedFields of [
      [],
      [{}, {}],
      [entry("x", fields, { operation: "Create" })],
      [entry("x", fields, { fieldsType: "FieldsV9" })],
      [entry("x", fields, { fieldsType: "" })],
      [entry("x", fields, { apiVersion: "" })],
      [entry("good", fields), { manager: "x", operation: "Apply", fieldsType: "FieldsV1", fieldsV1: fields }],
      [{ manager: "x", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: fields }],
      [{ ...entry("x", {}), fieldsV1: "text" }],
      [{ ...entry("x", {}), fieldsV1: ["f:spec"] }],
      [entry("x", { "f:spec": 5 })],
      [entry("good", fields), entry("x", { bogus: {} })],
      [entry("x", { "k:{broken": {} })],
    ]) {
      for (const kind of [sample, sampleToday]) {
        const server = start();
        server.mergePatch("u1", { metadata: { managedFields } }, { kind });
        expect(server.owners(), JSON.stringify(managedFields)).toEqual(owned);
      }
    }
  });

  test("own nothing with an empty set, which replaces those of the object", () => {
    for (const fieldsV1 of [{}, null, undefined, { "q:later": {} }]) {
      const server = start();
      server.mergePatch("u1", { metadata: { managedFields: [{ ...entry("x", {}), fieldsV1 }] } });
      expect(server.live?.metadata.managedFields, JSON.stringify(fieldsV1)).toBeUndefined();
    }
  });

  test("are removed by exactly one empty entry; the requester owns what the same write changes", () => {
    const server = start();
    server.mergePatch("u1", { metadata: { managedFields: [{}] } });
    expect(server.live?.metadata.managedFields).toBeUndefined();
    const other = start();
    other.mergePatch("u1", { metadata: { managedFields: [{}] }, spec: { colors: { g: "2" } } });
    expect(other.owners()).toEqual({ "u1 Update v1": { "f:spec": { "f:colors": { "f:g": {} } } } });
    other.mergePatch("u2", { metadata: { managedFields: [{}] }, spec: { colors: { g: "3" } } });
    expect(other.owners()).toEqual({ "u2 Update v1": { "f:spec": { "f:colors": { "f:g": {} } } } });
  });

  test("may name fields that the object does not have", () => {
    const server = start();
    server.mergePatch("u1", {
      metadata: { managedFields: [entry("x", { "f:ghost": {}, "f:__proto__": {}, 'k:{"__proto__":1}': {} })] },
    });
    server.mergePatch("u2", { spec: { colors: { g: "1" } } });
    expect(server.owners()["x Update v1"]).toEqual({ "f:__proto__": {}, "f:ghost": {}, 'k:{"__proto__":1}': {} });
    server.apply("m1", { spec: { colors: { z: "1" } } });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("entries", () => {
  test("are printed appliers first, then by time and name", () => {
    const fields = { "f:a": {} };
    const entries = [
      entry("b", fields),
      entry("a", fields),
      entry("late", fields, { time: "2022-01-01T00:00:00Z" }),
      entry("z", fields, { operation: "Apply", time: "2023-01-01T00:00:00Z" }),
    ];
    expect(writeManagers(readManagers(entries))?.map((one) => one.manager)).toEqual(["z", "a", "b", "late"]);
    expect(writeManagers(readManagers([]))).toBeUndefined();
  });

  test("of our own programs have one place among others, whatever the vocabulary calls them", () => {
    const order = (...names: string[]) =>
      writeManagers(readManagers(names.map((name) => entry(name, { "f:a": {} }))))?.map((one) => one.manager);
    expect(order("oracle", "orch-apiserver", "helm")).toEqual(["helm", "orch-apiserver", "oracle"]);
    expect(order("oracle", "kube-apiserver", "helm")).toEqual(["helm", "kube-apiserver", "oracle"]);
  });

  test("of more updaters than the limit are merged, the oldest first; appliers are not", () => {
    const server = new SampleServer();
    server.put("u0", { spec: { colors: { c0: "1" } } });
    for (let i = 1; i <= updatersMax + 3; i++) server.mergePatch(`u${i}`, { spec: { colors: { [`c${i}`]: "1" } } });
    for (let i = 0; i < updatersMax + 3; i++) server.apply(`m${i}`, { spec: { colors: { [`c${i}`]: "1" } } });
    const names = server.live?.metadata.managedFields?.map((one) => one.manager) ?? [];
    expect(names.filter((name) => name?.startsWith("m"))).toHaveLength(updatersMax + 3);
    expect(names.filter((name) => !name?.startsWith("m"))).toHaveLength(updatersMax);
    expect(server.owners()["ancient-changes Update v1"]).toEqual({
      "f:spec": {
        "f:colors": { ".": {}, "f:c0": {}, "f:c1": {}, "f:c2": {}, "f:c3": {}, "f:c4": {} },
        "f:replicas": {},
      },
    });
  });
});

test("owned parts of a list that is now atomic become the whole list, and a list owned as a whole stays so", () => {
  const set = {
    "f:spec": { "f:selector": { "f:match": {} }, "f:atoms": { 'v:"x"': {} }, "f:colors": {}, "f:words": {} },
  };
  expect(reconcile(sample.schema, set)).toEqual({
    "f:spec": { "f:selector": {}, "f:atoms": {}, "f:colors": {}, "f:words": {} },
  });
});
