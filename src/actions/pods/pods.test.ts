/** Bindings, evictions, and subresources that need a node's agent. */

import { describe, expect, test } from "vitest";
import { catalog as kinds } from "../../api/catalog.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { plainEnvironment, uidsInOrder } from "../../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../../machinery/schema/level.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { WriteContext } from "../../registry/contract/write-context.ts";
import { openRegistry } from "../../registry/registry.ts";
import { coreActions } from "../core-actions.ts";
import { addressTypesDefault } from "../proxy/address-types.ts";

const context: WriteContext = {
  user: { name: "tester", uid: "", groups: [], extra: new Map() },
  dryRun: false,
  fieldManager: "",
  warn() {},
};

async function open(level: Level = levelDefault) {
  const clock = createManualClock(Date.parse("2021-06-01T00:00:00Z"));
  const environment = plainEnvironment({ level, clock, randomUid: uidsInOrder(), allowPrivileged: true });
  const catalog = createCatalog(kinds, environment);
  const registry = await openRegistry({
    kv: createMemoryKv(),
    catalog,
    clock,
    log: silentLog,
    admission: admitAll,
  });
  const actions = coreActions({ catalog, random: () => 0, addressTypes: addressTypesDefault });
  const kindOf = (resource: string) => {
    const kind = catalog.byResource("", "v1", resource) ?? catalog.byResource("policy", "v1", resource);
    if (kind === undefined) throw new Error(`no ${resource}`);
    return kind;
  };
  const ref = (resource: string, name: string) => ({ namespace: kindOf(resource).namespaced ? "a" : "", name });
  const post = async (resource: string, body: Record<string, unknown>) => {
    const kind = kindOf(resource);
    await registry.create(kind, decodeKind(kind, body), ref(resource, ""), context);
  };
  const read = async (resource: string, name: string) =>
    (await registry.get(kindOf(resource), ref(resource, name))).object();
  const setStatus = async (resource: string, name: string, status: Record<string, unknown>) => {
    const kind = kindOf(resource);
    const change = (current: ApiObject | undefined) => decodeKind(kind, { ...current, status });
    await registry.update(kind, ref(resource, name), change, context, { subresource: "status" });
  };
  /** Does what a POST to the path does. */
  const act = async (name: string, pod: string, body: Record<string, unknown>, more: Partial<WriteContext> = {}) => {
    const accepted = name.endsWith("eviction")
      ? catalog.byKind("policy", "v1beta1", "Eviction")
      : catalog.byKind("", "v1", "Binding");
    if (accepted === undefined) throw new Error("nothing is accepted");
    const answer = await actions.get(name)?.create?.({
      kind: kindOf("pods"),
      accepted,
      ref: { namespace: "a", name: pod },
      body: decodeKind(accepted, body),
      context: { ...context, ...more },
      registry,
    });
    return answer?.code;
  };
  /** What plugins see of a body. */
  const prepared = (name: string, body: Record<string, unknown>) => {
    const accepted = catalog.byKind("", "v1", "Binding");
    if (accepted === undefined) throw new Error("nothing is accepted");
    const request = {
      kind: kindOf("pods"),
      accepted,
      ref: { namespace: "a", name: "p" },
      body: decodeKind(accepted, body),
      context: { ...context, fieldManager: "m" },
      registry,
    };
    return actions.get(name)?.prepare?.(request).body;
  };
  const connect = async (path: string, name: string, query: Record<string, string> = {}) => {
    const [resource = "", subresource = ""] = path.split("/");
    const parameter = (key: string) => (Object.hasOwn(query, key) ? query[key] : undefined);
    const parameters = (key: string) => (parameter(key) === undefined ? [] : [parameter(key) ?? ""]);
    const request = { kind: kindOf(resource), subresource, ref: ref(resource, name), registry, parameter, parameters };
    return actions.get(path)?.connect?.(request);
  };
  return { registry, post, read, setStatus, act, prepared, connect };
}

const container = { name: "c", image: "i" };
const pod = (name: string, more: Record<string, unknown> = {}) => ({
  metadata: { name, labels: { app: "a" } },
  spec: { containers: [container], ...more },
});
const budget = { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } };
const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
const allowing = (disruptionsAllowed: number) => ({
  observedGeneration: 1,
  disruptionsAllowed,
  currentHealthy: 1 + disruptionsAllowed,
  desiredHealthy: 1,
  expectedPods: 2,
});

describe("a binding", () => {
  test("ends a nomination at level 1.35, and does not count as a generation", async () => {
    const { registry, post, read, setStatus, act } = await open("1.35");
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Pending", qosClass: "BestEffort", nominatedNodeName: "m" });
    await act("pods/binding", "p", { metadata: { name: "p" }, target: { kind: "Node", name: "n" } });
    const bound = await read("pods", "p");
    expect(bound).toMatchObject({ metadata: { generation: 1 }, spec: { nodeName: "n" } });
    expect(bound["status"]).not.toHaveProperty("nominatedNodeName");
    await registry.close();
  });

  test("sets the node of a pod, with annotations and a condition, once", async () => {
    const { registry, post, read, act } = await open();
    await post("pods", pod("p"));
    const body = { metadata: { name: "p", annotations: { by: "me" } }, target: { kind: "Node", name: "n" } };
    expect(await act("pods/binding", "p", body)).toBe(201);
    expect(await read("pods", "p")).toMatchObject({
      metadata: { annotations: { by: "me" } },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2021-06-01T00:00:00Z" }] },
    });
    await expect(act("pods/binding", "p", body)).rejects.toMatchObject({
      code: 409,
      details: { kind: "pods/binding", name: "p" },
    });
    await registry.close();
  });

  test("sets the condition PodScheduled to True", async () => {
    const { registry, post, read, setStatus, act } = await open();
    await post("pods", pod("p"));
    const conditions = [
      { type: "PodScheduled", status: "False", reason: "Unschedulable" },
      { type: "Ready", status: "False" },
    ];
    await setStatus("pods", "p", { phase: "Pending", conditions });
    await act("pods/binding", "p", { metadata: { name: "p" }, target: { name: "n" } });
    expect((await read("pods", "p"))["status"]).toMatchObject({
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2021-06-01T00:00:00Z" },
        { type: "Ready", status: "False" },
      ],
    });
    await registry.close();
  });

  test("since 1.22 is refused for another uid or version of the pod than it names", async () => {
    const { registry, post, read, act } = await open("1.35");
    await post("pods", pod("p"));
    const { uid = "", resourceVersion = "" } = (await read("pods", "p")).metadata;
    const bind = (meant: object) =>
      act("pods/binding", "p", { metadata: { name: "p", ...meant }, target: { name: "n" } });
    const refused = { code: 409, details: { kind: "pods", name: "p" } };
    await expect(bind({ uid: "another" })).rejects.toMatchObject(refused);
    await expect(bind({ uid, resourceVersion: "1" })).rejects.toMatchObject(refused);
    expect(await bind({ uid, resourceVersion })).toBe(201);
    await registry.close();
  });

  test("finds the pod by name, and ignores the uid", async () => {
    const { registry, post, act } = await open();
    await post("pods", pod("p"));
    expect(await act("pods/binding", "p", { metadata: { name: "p", uid: "another" }, target: { name: "n" } })).toBe(
      201,
    );
    await registry.close();
  });

  test("says in its managed fields through which path it was sent, since 1.22", async () => {
    const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    const paths = async (level: Level) => {
      const { registry, prepared } = await open(level);
      await registry.close();
      return ["bindings", "pods/binding"].map(
        (name) => prepared(name, binding)?.metadata.managedFields?.[0]?.subresource,
      );
    };
    expect(await paths("1.21")).toEqual([undefined, undefined]);
    expect(await paths("1.35")).toEqual([undefined, "binding"]);
  });

  test("names its pod in the body if the path does not", async () => {
    const { registry, post, read, act } = await open();
    await post("pods", pod("p"));
    expect(await act("bindings", "", { metadata: { name: "p" }, target: { name: "n" } })).toBe(201);
    expect(await read("pods", "p")).toMatchObject({ spec: { nodeName: "n" } });
    await registry.close();
  });

  const refused = [
    { why: "another name than in the path", body: { metadata: { name: "q" }, target: { name: "n" } }, code: 400 },
    { why: "no node", body: { metadata: { name: "p" }, target: {} }, code: 422 },
    {
      why: "a target that is not a node",
      body: { metadata: { name: "p" }, target: { kind: "Pod", name: "n" } },
      code: 422,
    },
  ];
  for (const { why, body, code } of refused) {
    test(`is refused: ${why}`, async () => {
      const { registry, post, act } = await open();
      await post("pods", pod("p"));
      await expect(act("pods/binding", "p", body)).rejects.toMatchObject({ code });
      await registry.close();
    });
  }

  test("changes nothing on a dry run", async () => {
    const { registry, post, read, act } = await open();
    await post("pods", pod("p"));
    const body = { metadata: { name: "p" }, target: { name: "n" } };
    expect(await act("pods/binding", "p", body, { dryRun: true })).toBe(201);
    expect((await read("pods", "p"))["spec"]).not.toHaveProperty("nodeName");
    await registry.close();
  });
});

describe("an eviction", () => {
  const evict = { metadata: { name: "p" } };
  const refusal = { code: 429, details: { causes: [{ reason: "DisruptionBudget" }] } };

  test("deletes a pod that no budget covers", async () => {
    const { registry, post, read, act } = await open();
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await expect(read("pods", "p")).rejects.toMatchObject({ code: 404 });
    await registry.close();
  });

  test("deletes nothing when its body requests a dry run", async () => {
    const { registry, post, read, act } = await open();
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", { ...evict, deleteOptions: { dryRun: ["All"] } })).toBe(201);
    expect(await read("pods", "p")).toMatchObject({ metadata: { name: "p" } });
    await registry.close();
  });

  test("is counted by a budget that allows it, and refused by one that does not", async () => {
    const { registry, post, read, setStatus, act } = await open();
    await post("pods", pod("p"));
    await post("pods", pod("q"));
    await setStatus("pods", "p", ready);
    await setStatus("pods", "q", ready);
    await post("poddisruptionbudgets", budget);
    await expect(act("pods/eviction", "p", evict)).rejects.toMatchObject(refusal);
    await setStatus("poddisruptionbudgets", "b", allowing(1));
    expect(await act("pods/eviction", "p", evict, { dryRun: true })).toBe(201);
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    expect((await read("poddisruptionbudgets", "b"))["status"]).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: "2021-06-01T00:00:00Z" },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", observedGeneration: 1 }],
    });
    await expect(act("pods/eviction", "q", { metadata: { name: "q" } })).rejects.toMatchObject(refusal);
    await registry.close();
  });

  test("names a time to wait while the budget is new, since 1.22", async () => {
    const refusalAt = async (level: "1.21" | "1.35") => {
      const { registry, post, setStatus, act } = await open(level);
      await post("pods", pod("p"));
      await setStatus("pods", "p", { ...ready, qosClass: "BestEffort" });
      await post("poddisruptionbudgets", budget);
      const refused = () => act("pods/eviction", "p", evict).catch((error: StatusError) => error.details);
      const waits = [await refused()];
      await setStatus("poddisruptionbudgets", "b", allowing(0));
      waits.push(await refused());
      await registry.close();
      return waits.map((details) => (details as { retryAfterSeconds?: number }).retryAfterSeconds);
    };
    expect(await refusalAt("1.21")).toEqual([undefined, undefined]);
    expect(await refusalAt("1.35")).toEqual([10, undefined]);
  });

  test("of many at once as many succeed as the budget allows", async () => {
    const { registry, post, setStatus, act } = await open();
    await post("poddisruptionbudgets", budget);
    await setStatus("poddisruptionbudgets", "b", allowing(2));
    const names = ["p1", "p2", "p3", "p4", "p5"];
    for (const name of names) {
      await post("pods", pod(name));
      await setStatus("pods", name, ready);
    }
    const outcomes = await Promise.allSettled(names.map((name) => act("pods/eviction", name, { metadata: { name } })));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    await registry.close();
  });

  test("of a pod that is pending or finished does not need the budget", async () => {
    const { registry, post, setStatus, act } = await open();
    await post("poddisruptionbudgets", budget);
    await post("pods", pod("p"));
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Failed" });
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    await registry.close();
  });

  test("of a pod that is not ready is not counted while enough others are", async () => {
    const { registry, post, read, setStatus, act } = await open();
    await post("poddisruptionbudgets", budget);
    await setStatus("poddisruptionbudgets", "b", { ...allowing(0), currentHealthy: 1 });
    await post("pods", pod("p"));
    await setStatus("pods", "p", { phase: "Running" });
    expect(await act("pods/eviction", "p", evict)).toBe(201);
    expect((await read("poddisruptionbudgets", "b"))["status"]).not.toHaveProperty("disruptedPods");
    await registry.close();
  });

  const refused = [
    { why: "another name than in the path", body: { metadata: { name: "q" } }, code: 400 },
    { why: "another uid", body: { ...evict, deleteOptions: { preconditions: { uid: "u" } } }, code: 409 },
    { why: "contradicting dry runs", body: { ...evict, deleteOptions: { dryRun: ["Some"] } }, code: 400, dryRun: true },
  ];
  for (const { why, body, code, dryRun = false } of refused) {
    test(`is refused: ${why}`, async () => {
      const { registry, post, act } = await open();
      await post("pods", pod("p"));
      await expect(act("pods/eviction", "p", body, { dryRun })).rejects.toMatchObject({ code });
      await registry.close();
    });
  }

  const options = [
    { why: "an unknown propagation policy", sent: { propagationPolicy: "Sideways" }, field: "propagationPolicy" },
    { why: "an empty propagation policy", sent: { propagationPolicy: "" }, field: "propagationPolicy" },
    { why: "an unknown dry run value", sent: { dryRun: ["Some"] }, field: "dryRun" },
  ];
  for (const { why, sent, field } of options) {
    test(`is refused for its delete options: ${why}`, async () => {
      const { registry, post, read, act } = await open();
      await post("pods", pod("p"));
      await expect(act("pods/eviction", "p", { ...evict, deleteOptions: sent })).rejects.toMatchObject({
        code: 422,
        details: { kind: "DeleteOptions", causes: [{ reason: "FieldValueNotSupported", field }] },
      });
      expect(await read("pods", "p")).toMatchObject({ metadata: { name: "p" } });
      await registry.close();
    });
  }

  test("of a pod with two budgets is not supported", async () => {
    const { registry, post, setStatus, act } = await open();
    await post("poddisruptionbudgets", budget);
    await post("poddisruptionbudgets", { ...budget, metadata: { name: "b2" } });
    await post("pods", pod("p"));
    await setStatus("pods", "p", ready);
    await expect(act("pods/eviction", "p", evict)).rejects.toMatchObject({ code: 500, reason: undefined });
    await registry.close();
  });
});

describe("subresources that need a node's agent", () => {
  test("reports why connections cannot be opened", async () => {
    const { registry, post, connect } = await open();
    await expect(connect("pods/exec", "p")).rejects.toMatchObject({ code: 404, details: { kind: "pods" } });
    await post("pods", pod("p"));
    await expect(connect("pods/exec", "p")).rejects.toMatchObject({ code: 400 });
    await expect(connect("pods/attach", "p", { container: "other" })).rejects.toMatchObject({ code: 400 });
    await post("pods", pod("q", { nodeName: "n" }));
    await expect(connect("pods/portforward", "q")).rejects.toMatchObject({ code: 404, details: { kind: "nodes" } });
    await post("nodes", { metadata: { name: "n" } });
    await expect(connect("pods/exec", "q")).rejects.toMatchObject({ code: 503 });
    await expect(connect("pods/log", "q")).rejects.toMatchObject({ code: 503 });
    await expect(connect("nodes/proxy", "n:10250")).rejects.toMatchObject({ code: 503 });
    await registry.close();
  });

  test("finds the agent of the pod's node, and tells it what is asked", async () => {
    const { registry, post, setStatus, connect } = await open();
    await post("nodes", { metadata: { name: "n" } });
    const daemonEndpoints = { orchletEndpoint: { Port: 12_345 } };
    await setStatus("nodes", "n", { addresses: [{ type: "InternalIP", address: "10.0.0.7" }], daemonEndpoints });
    await post("pods", pod("p", { nodeName: "n" }));
    const exec = await connect("pods/exec", "p", { command: "ls /", stdout: "true", stdin: "false", tty: "1" });
    expect(exec).toMatchObject({
      scheme: "https",
      host: "10.0.0.7",
      port: 12_345,
      isNodeAgent: true,
      agentCall: { target: "/exec/a/p/c?command=ls+%2F&output=1&tty=1", answer: "stream" },
    });
    const targetOf = async (path: string, query: Record<string, string>) =>
      (await connect(path, "p", query))?.agentCall?.target;
    expect(await targetOf("pods/attach", { stdin: "true" })).toBe("/attach/a/p/c?input=1");
    expect(await targetOf("pods/portforward", { ports: "80,81" })).toBe("/portForward/a/p?port=80&port=81");
    expect(await targetOf("pods/log", { follow: "true", tailLines: "3", pretty: "true" })).toBe(
      "/containerLogs/a/p/c?follow=true&tailLines=3",
    );
    await registry.close();
  });

  test("returns an empty log for an unscheduled pod, and requires a container name if there are several", async () => {
    const { registry, post, connect } = await open();
    await post("pods", pod("p"));
    await post("pods", pod("q", { containers: [container, { ...container, name: "d" }] }));
    expect(await connect("pods/log", "p")).toBeUndefined();
    await expect(connect("pods/log", "q")).rejects.toMatchObject({ code: 400 });
    expect(await connect("pods/log", "q", { container: "d" })).toBeUndefined();
    await post("pods", pod("r", { initContainers: [{ ...container, name: "first" }] }));
    expect(await connect("pods/log", "r")).toBeUndefined();
    await registry.close();
  });

  test("refuses invalid numbers in log options", async () => {
    const { registry, post, connect } = await open();
    await post("pods", pod("p"));
    const fine = { tailLines: "0", limitBytes: "1", sinceTime: "2021-06-01T00:00:00Z" };
    expect(await connect("pods/log", "p", fine)).toBeUndefined();
    const wrong = { tailLines: "-1", limitBytes: "0", sinceSeconds: "0" };
    await expect(connect("pods/log", "p", wrong)).rejects.toMatchObject({
      code: 422,
      details: { kind: "PodLogOptions", name: "p", causes: [{ field: "tailLines" }, { field: "limitBytes" }, {}] },
    });
    const both = { sinceSeconds: "1", sinceTime: fine.sinceTime };
    await expect(connect("pods/log", "p", both)).rejects.toMatchObject({
      code: 422,
      details: { causes: [{ field: "[]" }] },
    });
    for (const query of [{ tailLines: "some" }, { limitBytes: "9".repeat(19) }, { sinceTime: "now" }]) {
      await expect(connect("pods/log", "gone", query)).rejects.toMatchObject({ code: 400 });
    }
    await registry.close();
  });

  test("answers 404 to the proxy of a service without endpoints, and 503 if there are endpoints", async () => {
    const { registry, post, connect } = await open();
    await post("services", { metadata: { name: "s" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } });
    for (const name of ["s", "s:80", "https:s:80"]) {
      await expect(connect("services/proxy", name)).rejects.toMatchObject({ code: 404, details: { name: "s" } });
    }
    await expect(connect("services/proxy", "a:b:c:d")).rejects.toMatchObject({ code: 400 });
    const subsets = [{ addresses: [{ ip: "10.1.0.1" }], ports: [{ port: 80 }] }];
    await post("endpoints", { metadata: { name: "s" }, subsets });
    await expect(connect("services/proxy", "s:80")).rejects.toMatchObject({ code: 503 });
    await expect(connect("services/proxy", "s:81")).rejects.toMatchObject({ code: 503 });
    await registry.close();
  });
});
