import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld, readSlowly } from "../admission.suite.ts";
import { createLimitRanger, limitsAppliedMax } from "./limit-ranger.ts";

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> };

const range = (name: string, ...limits: object[]) => ({
  resource: "limitranges",
  object: { metadata: { name, namespace: "a" }, spec: { limits } } as ApiObject,
});
const container = (name: string, resources: Resources = {}) => ({ name, resources });
const podOf = (containers: object[], initContainers?: object[]): ApiObject => ({
  metadata: { name: "p" },
  spec: { containers, ...(initContainers ? { initContainers } : {}) },
});
function admit(ranges: ReturnType<typeof range>[], object: ApiObject, namespace = "a") {
  const world = createWorld(ranges);
  return world.admit(createLimitRanger(world.context), "pods", { object, namespace });
}
const refused = { code: 403, details: { kind: "pods", name: "p" } };

describe("defaults of containers", () => {
  const cpu = { type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } };
  const both = {
    type: "Container",
    default: { memory: "512Mi", cpu: "500m" },
    defaultRequest: { memory: "1Mi", cpu: "1m" },
  };

  test("are set on containers and init containers, and listed in an annotation", async () => {
    expect(await admit([range("r", cpu)], podOf([container("c")], [container("i")]))).toEqual({
      metadata: {
        name: "p",
        annotations: {
          "orch.io/limit-ranger":
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c; " +
            "cpu request for init container i; cpu limit for init container i",
        },
      },
      spec: {
        containers: [container("c", { limits: { cpu: "500m" }, requests: { cpu: "100m" } })],
        initContainers: [container("i", { limits: { cpu: "500m" }, requests: { cpu: "100m" } })],
      },
    });
  });
  test("keep given values, and are listed in order", async () => {
    const given = { requests: { cpu: "50m" }, limits: { memory: "2Mi" } };
    const pod = await admit([range("r", both)], podOf([container("c", given), container("d")]));
    expect(pod).toMatchObject({
      metadata: {
        annotations: {
          "orch.io/limit-ranger":
            "LimitRanger plugin set: memory request for container c; cpu limit for container c; " +
            "cpu, memory request for container d; cpu, memory limit for container d",
        },
      },
      spec: {
        containers: [
          { resources: { requests: { cpu: "50m", memory: "1Mi" }, limits: { cpu: "500m", memory: "2Mi" } } },
          { resources: { requests: both.defaultRequest, limits: both.default } },
        ],
      },
    });
  });
  test("come from every range; the first that names a resource wins", async () => {
    const later = { type: "Container", default: { cpu: "9", memory: "9Mi" } };
    const pod = await admit([range("a", cpu), range("b", later)], podOf([container("c")]));
    expect(pod).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: "500m", memory: "9Mi" } } }] } });
  });
  test("are those of the pod's own namespace", async () => {
    expect(await admit([range("r", cpu)], podOf([container("c")]), "b")).toEqual(podOf([container("c")]));
  });
  test("do not change a pod that needs none", async () => {
    const full = podOf([container("c", { requests: { cpu: "1" }, limits: { cpu: "1" } })]);
    expect(await admit([range("r", cpu)], structuredClone(full))).toEqual(full);
  });
});

describe("bounds", () => {
  const of = (resources: Resources, more: Resources[] = [], init: Resources[] = []) =>
    podOf(
      [resources, ...more].map((one, index) => container(`c${index}`, one)),
      init.map((one, index) => container(`i${index}`, one)),
    );
  const on = (type: string, bound: "min" | "max" | "maxLimitRequestRatio", amounts: Record<string, string>) => ({
    type,
    [bound]: amounts,
  });
  const cpu = (request?: string, limit?: string): Resources => ({
    ...(request === undefined ? {} : { requests: { cpu: request } }),
    ...(limit === undefined ? {} : { limits: { cpu: limit } }),
  });
  const max = on("Container", "max", { cpu: "1" });
  const min = on("Container", "min", { cpu: "1" });
  const ratio = on("Container", "maxLimitRequestRatio", { cpu: "1500m" });
  const podMax = on("Pod", "max", { cpu: "1" });
  const podMin = on("Pod", "min", { cpu: "1" });
  const rows = [
    { why: "a limit at the maximum is accepted", item: max, pod: of(cpu("1", "1000m")), passes: true },
    { why: "a limit above the maximum is refused", item: max, pod: of(cpu("1", "1001m")), passes: false },
    { why: "a missing limit is refused where there is a maximum", item: max, pod: of(cpu("1")), passes: false },
    {
      why: "init containers are checked as well",
      item: max,
      pod: of(cpu("1", "1"), [], [cpu("1", "2")]),
      passes: false,
    },
    { why: "a request at the minimum is accepted without a limit", item: min, pod: of(cpu("1")), passes: true },
    { why: "a request below the minimum is refused", item: min, pod: of(cpu("999m")), passes: false },
    { why: "a missing request is refused where there is a minimum", item: min, pod: of({}), passes: false },
    { why: "a limit below the minimum is refused", item: min, pod: of(cpu("1", "500m")), passes: false },
    { why: "a ratio may be a fraction", item: ratio, pod: of(cpu("100m", "150m")), passes: true },
    { why: "a ratio is compared exactly", item: ratio, pod: of(cpu("100m", "151m")), passes: false },
    { why: "a ratio needs a request", item: ratio, pod: of(cpu(undefined, "1")), passes: false },
    { why: "a ratio needs a request above zero", item: ratio, pod: of(cpu("0", "0")), passes: false },
    { why: "limits of a pod add up", item: podMax, pod: of(cpu("1m", "500m"), [cpu("1m", "500m")]), passes: true },
    {
      why: "the sum of limits must not exceed the maximum",
      item: podMax,
      pod: of(cpu("1m", "500m"), [cpu("1m", "501m")]),
      passes: false,
    },
    {
      why: "one container without a limit leaves the pod without a limit",
      item: podMax,
      pod: of(cpu("1m", "1m"), [{}]),
      passes: false,
    },
    {
      why: "the largest init container decides",
      item: podMax,
      pod: of(cpu("1m", "1m"), [], [cpu("1m", "2")]),
      passes: false,
    },
    { why: "requests of a pod add up", item: podMin, pod: of(cpu("500m"), [cpu("500m")]), passes: true },
    { why: "init containers do not add up", item: podMin, pod: of(cpu("500m"), [], [cpu("500m")]), passes: false },
    {
      why: "claims have their own bounds",
      item: on("PersistentVolumeClaim", "max", { cpu: "1" }),
      pod: of({}),
      passes: true,
    },
  ];
  for (const { why, item, pod, passes } of rows) {
    test(why, async () => {
      if (passes) await admit([range("r", item)], pod);
      else await expect(admit([range("r", item)], pod)).rejects.toMatchObject(refused);
    });
  }

  test("of every range apply, and one refusal names all violations of one range", async () => {
    const pod = of({ requests: { cpu: "100m", memory: "2Gi" }, limits: { cpu: "100m", memory: "2Gi" } });
    const picky = { type: "Container", min: { cpu: "1" }, max: { memory: "1Gi" } };
    await expect(admit([range("wide", on("Container", "max", { cpu: "9" })), range("r", picky)], pod)).rejects.toThrow(
      /container c0: minimum cpu usage per Container is 1.*maximum memory usage per Container is 1Gi.*limit range r/,
    );
  });

  test("thousands of ranges are read in slices", async () => {
    const bound = { type: "Container", default: { cpu: "1" } };
    const world = createWorld(Array.from({ length: 60 }, (_, index) => range(`r${index}`, bound)));
    const turns = readSlowly(world.context);
    const object = podOf([container("c")]);
    await world.admit(createLimitRanger(world.context), "pods", { object, namespace: "a" });
    expect(turns.reduce((sum, count) => sum + count)).toBe(120); // once for defaults, once for bounds
    expect(Math.max(...turns)).toBeLessThan(30);
  });

  test("work is bounded: containers times resources", async () => {
    const amounts = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`example.com/r${index}`, "1"]));
    const wide = range("wide", { type: "Container", default: amounts });
    const many = (count: number) => podOf(Array.from({ length: count }, (_, index) => container(`c${index}`)));
    await admit([wide], many(limitsAppliedMax / 1000));
    await expect(admit([wide], many(limitsAppliedMax / 1000 + 1))).rejects.toMatchObject(refused);
  });
});

describe("claims", () => {
  const ranges = [range("r", { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } })];
  const world = createWorld(ranges);
  const plugin = createLimitRanger(world.context);
  const claim = (storage?: string, metadata = {}): ApiObject => ({
    metadata: { name: "c", ...metadata },
    spec: { resources: storage === undefined ? {} : { requests: { storage } } },
  });
  const write = (object: ApiObject, old?: ApiObject) =>
    world.admit(plugin, "persistentvolumeclaims", {
      object,
      namespace: "a",
      ...(old ? { old, operation: "UPDATE" } : {}),
    });

  test("are checked by their requests, also when they grow", async () => {
    await write(claim("1Gi"));
    await write(claim("2048Mi"), claim("1Gi"));
    for (const size of ["1023Mi", "3Gi", undefined]) {
      await expect(write(claim(size))).rejects.toMatchObject({
        code: 403,
        details: { kind: "persistentvolumeclaims" },
      });
    }
    await expect(write(claim("3Gi"), claim("1Gi"))).rejects.toMatchObject({ code: 403 });
  });
  test("have no limits, so a ratio does not apply to them", async () => {
    const bounds = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, maxLimitRequestRatio: { storage: "2" } };
    const narrow = createWorld([range("r", bounds)]);
    const options = { object: claim("1Gi"), namespace: "a" };
    await narrow.admit(createLimitRanger(narrow.context), "persistentvolumeclaims", options);
  });
  test("may still be deleted when they are beyond the bounds", async () => {
    await write(claim("3Gi"), claim("3Gi", { deletionTimestamp: "2021-01-01T00:00:00Z" }));
  });
});

test("what a pod itself requests counts in place of its containers", async () => {
  const bounds = { type: "Pod", max: { cpu: "2" }, min: { cpu: "100m" } };
  const pod = (requests: string, limits: string): ApiObject => ({
    metadata: { name: "p" },
    spec: { containers: [container("c")], resources: { requests: { cpu: requests }, limits: { cpu: limits } } },
  });
  await admit([range("r", bounds)], pod("1", "2"));
  await expect(admit([range("r", bounds)], pod("3", "3"))).rejects.toMatchObject(refused);
  await expect(admit([range("r", bounds)], pod("50m", "1"))).rejects.toMatchObject(refused);
});

test("a resize stays within the bounds", async () => {
  const world = createWorld([range("r", { type: "Container", max: { cpu: "2" } })]);
  const resize = (cpu: string) => {
    const object = podOf([container("c", { requests: { cpu }, limits: { cpu } })]);
    const about = { object, namespace: "a", operation: "UPDATE", subresource: "resize" } as const;
    return world.admit(createLimitRanger(world.context), "pods", about);
  };
  await resize("2");
  await expect(resize("3")).rejects.toMatchObject(refused);
});

test("existing pods and other subresources are ignored", () => {
  const world = createWorld([]);
  const { handles } = createLimitRanger(world.context);
  const object = podOf([]);
  expect(handles(world.request("pods", { object, operation: "UPDATE" }))).toBe(false);
  expect(handles(world.request("pods", { object, subresource: "binding" }))).toBe(false);
  expect(handles(world.request("nodes", { object }))).toBe(false);
});
