import { describe, expect, test } from "vitest";
import { createFeatureGates } from "../../api/feature-gates.ts";
import type { Device } from "../../api/resource/v1/device.ts";
import type { DeviceClass } from "../../api/resource/v1/device-class.ts";
import { createAskDevice } from "../../api/resource/v1/device-selection.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { systemClock } from "../../base/clock.ts";
import { newestLevel } from "../../machinery/schema/levels.ts";
import { createEnvironment } from "../../main/environment.ts";
import { orch } from "../../vocabulary/orch.ts";
import { deviceMatchesMax, deviceTriesMax } from "./allocate.ts";
import { Devices } from "./devices.ts";

const driver = "gpu.example.com";
const node = { metadata: { name: "n", labels: { zone: "a" } } };
const environment = createEnvironment({
  vocabulary: orch,
  gates: createFeatureGates(new Map(), newestLevel),
  level: newestLevel,
  clock: systemClock,
  allowPrivileged: true,
});

const sliceOf = (devices: readonly object[], more: object = {}, name = "s"): ResourceSlice =>
  ({
    metadata: { name },
    spec: { driver, pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName: "n", devices, ...more },
  }) as ResourceSlice; // the parts that matter
const deviceOf = (name: string, more: Partial<Device> = {}) => ({ name, ...more });
const model = (value: string) => ({ attributes: { model: { string: value } } });
const classOf = (name: string, spec: object = {}): DeviceClass => ({ metadata: { name }, spec });

let claims = 0;
const claimOf = (requests: readonly object[], more: object = {}): ResourceClaim =>
  ({
    metadata: { namespace: "ns", name: `c${++claims}`, uid: `u${claims}`, resourceVersion: String(claims) },
    spec: { devices: { requests, ...more } },
  }) as ResourceClaim; // the parts that matter
const one = (name: string, more: object = {}) => ({ name, exactly: { deviceClassName: "any", ...more } });
const cel = (expression: string) => [{ cel: { expression } }];

function open(slices: readonly ResourceSlice[], classes: readonly DeviceClass[] = [classOf("any")]) {
  let share = 0;
  const devices = new Devices({ ask: createAskDevice(environment), newShare: () => `share-${++share}` });
  for (const slice of slices) devices.seeSlice(slice);
  for (const each of classes) devices.seeClass(each);
  return {
    devices,
    /** The devices of a pod with these claims, by claim; otherwise why it gets none. */
    get(...wanted: readonly ResourceClaim[]) {
      for (const claim of wanted) devices.seeClaim(claim);
      const resourceClaims = wanted.map(({ metadata }) => ({ name: "x", resourceClaimName: metadata.name ?? "" }));
      const needs = devices.needsOf({
        metadata: { namespace: "ns", uid: "pod" },
        spec: { containers: [], resourceClaims },
      });
      if (needs === undefined || needs === "later") return needs;
      if ("problem" in needs) return needs.problem;
      const { granted } = devices.grant(needs, node);
      if (typeof granted === "string" || granted === undefined) return granted;
      const decided = devices.decide(needs, node) ?? [];
      return decided.map(({ allocation }) =>
        allocation?.devices?.results?.map(({ request, device }) => `${request}=${device}`),
      );
    },
    allocationOf(claim: ResourceClaim) {
      devices.seeClaim(claim);
      const resourceClaims = [{ name: "x", resourceClaimName: claim.metadata.name ?? "" }];
      const needs = devices.needsOf({
        metadata: { namespace: "ns", uid: "pod" },
        spec: { containers: [], resourceClaims },
      });
      if (needs === undefined || needs === "later" || "problem" in needs) throw new Error("it cannot have devices");
      return devices.decide(needs, node)?.[0]?.allocation;
    },
  };
}

describe("a claim gets", () => {
  const four = sliceOf([
    deviceOf("a", model("small")),
    deviceOf("b", model("large")),
    deviceOf("c", model("large")),
    deviceOf("d", { ...model("small"), taints: [{ key: "broken", effect: "NoSchedule" }] }),
  ]);

  test("the first devices that match its class and its own expressions", () => {
    const large = classOf("any", { selectors: cel(`device.attributes["${driver}"].model == "large"`) });
    expect(open([four], [large]).get(claimOf([one("x")]))).toEqual([["x=b"]]);
    const second = one("x", { selectors: cel('device.driver == "gpu.example.com"'), count: 2 });
    expect(open([four], [large]).get(claimOf([second]))).toEqual([["x=b", "x=c"]]);
  });

  test("no device twice, in one claim or in two", () => {
    expect(open([four]).get(claimOf([one("x"), one("y")]), claimOf([one("z")]))).toEqual([["x=a", "y=b"], ["z=c"]]);
    const { get } = open([four]);
    expect(get(claimOf([one("x", { count: 3 })]))).toEqual([["x=a", "x=b", "x=c"]]);
    expect(get(claimOf([one("x")]))).toBeUndefined();
  });

  test("nothing where a class is missing, an expression fails, or a pool is not complete", () => {
    expect(open([four], []).get(claimOf([one("x")]))).toBe("request x: device class any does not exist");
    const wrong = one("x", { selectors: cel('device.attributes["other.example.com"].model == "x"') });
    expect(open([four]).get(claimOf([wrong]))).toMatch(/^request x: an expression cannot be evaluated for the device /);
    const half = sliceOf([deviceOf("a")], { pool: { name: "p", generation: 1, resourceSliceCount: 2 } });
    expect(open([half]).get(claimOf([one("x")]))).toBeUndefined();
    const newer = sliceOf([deviceOf("new")], { pool: { name: "p", generation: 2, resourceSliceCount: 1 } }, "newer");
    expect(open([four, newer]).get(claimOf([one("x")]))).toEqual([["x=new"]]);
  });

  test("all devices that match, or none", () => {
    const all = one("x", { allocationMode: "All", selectors: cel(`device.attributes["${driver}"].model == "large"`) });
    const { get } = open([four]);
    expect(get(claimOf([all]))).toEqual([["x=b", "x=c"]]);
    expect(get(claimOf([all]))).toBeUndefined();
    expect(open([four]).get(claimOf([one("x", { allocationMode: "All" })]))).toBeUndefined(); // one is broken
    const nothing = one("x", { allocationMode: "All", selectors: cel("false") });
    expect(open([four]).get(claimOf([nothing]))).toBeUndefined();
  });

  test("the first alternative that can be met", () => {
    const request = {
      name: "x",
      firstAvailable: [
        { name: "huge", deviceClassName: "any", selectors: cel(`device.attributes["${driver}"].model == "huge"`) },
        {
          name: "two",
          deviceClassName: "any",
          selectors: cel(`device.attributes["${driver}"].model == "large"`),
          count: 2,
        },
        { name: "one", deviceClassName: "any" },
      ],
    };
    const { get } = open([four]);
    expect(get(claimOf([request]))).toEqual([["x/two=b", "x/two=c"]]);
    expect(get(claimOf([request]))).toEqual([["x/one=a"]]);
  });

  test("tainted devices where it tolerates the taint, from the driver or from a rule", () => {
    const tolerations = [{ key: "broken", operator: "Exists" }];
    expect(open([four]).get(claimOf([one("x", { count: 4, tolerations })]))).toEqual([["x=a", "x=b", "x=c", "x=d"]]);
    const { get, devices } = open([four]);
    devices.seeRule({
      metadata: { name: "r" },
      spec: { deviceSelector: { driver, device: "a" }, taint: { key: "k", effect: "NoExecute" } },
    });
    expect(get(claimOf([one("x")]))).toEqual([["x=b"]]);
  });

  test("devices that agree, or differ, in an attribute", () => {
    const name = `${driver}/model`;
    const two = [one("x"), one("y")];
    expect(open([four]).get(claimOf(two, { constraints: [{ matchAttribute: name }] }))).toEqual([["x=b", "y=c"]]);
    expect(open([four]).get(claimOf(two, { constraints: [{ distinctAttribute: name }] }))).toEqual([["x=a", "y=b"]]);
    expect(open([four]).get(claimOf(two, { constraints: [{ matchAttribute: `${driver}/none` }] }))).toBeUndefined();
    const other = [{ requests: ["x"], matchAttribute: name }];
    expect(open([four]).get(claimOf(two, { constraints: other }))).toEqual([["x=a", "y=b"]]);
  });

  test("devices in use where it maintains them, which takes them from nobody", () => {
    const { get } = open([sliceOf([deviceOf("a")])]);
    expect(get(claimOf([one("x")]))).toEqual([["x=a"]]);
    expect(get(claimOf([one("x", { adminAccess: true })]))).toEqual([["x=a"]]);
    const idle = open([sliceOf([deviceOf("a")])]);
    expect(idle.get(claimOf([one("x", { adminAccess: true })]))).toEqual([["x=a"]]);
    expect(idle.get(claimOf([one("x")]))).toEqual([["x=a"]]);
  });

  test("devices whose counters are not used up", () => {
    const counters = (value: string) => [{ counterSet: "set", counters: { memory: { value } } }];
    const sharedCounters = [{ name: "set", counters: { memory: { value: "10Gi" } } }];
    const parts = [
      deviceOf("whole", { consumesCounters: counters("10Gi") }),
      deviceOf("half", { consumesCounters: counters("5Gi") }),
      deviceOf("other", { consumesCounters: counters("5Gi") }),
    ];
    const { get } = open([sliceOf(parts, { sharedCounters })]);
    expect(get(claimOf([one("x", { count: 2 })]))).toEqual([["x=half", "x=other"]]);
    expect(get(claimOf([one("x")]))).toBeUndefined();
  });

  test("a share of a device, in the amounts that its policy allows", () => {
    const requestPolicy = { default: "1Gi", validRange: { min: "1Gi", step: "2Gi" } };
    const shared = deviceOf("a", {
      allowMultipleAllocations: true,
      capacity: { memory: { value: "10Gi", requestPolicy } },
    });
    const { allocationOf, get } = open([sliceOf([shared])]);
    const of = (memory: string) => one("x", { capacity: { requests: { memory } } });
    expect(allocationOf(claimOf([of("4Gi")]))?.devices?.results).toEqual([
      { request: "x", driver, pool: "p", device: "a", shareID: "share-1", consumedCapacity: { memory: "5Gi" } },
    ]);
    expect(get(claimOf([of("6Gi")]))).toBeUndefined();
    expect(get(claimOf([of("5Gi")]))).toEqual([["x=a"]]);
    expect(get(claimOf([one("x")]))).toBeUndefined();
    expect(open([sliceOf([shared])]).get(claimOf([of("11Gi")]))).toBeUndefined();
    expect(
      open([sliceOf([shared])]).get(claimOf([one("x", { capacity: { requests: { cores: "1" } } })])),
    ).toBeUndefined();
  });

  test("none of which somebody must confirm first that they are ready", () => {
    const waiting = deviceOf("a", { bindingConditions: ["Ready"], bindingFailureConditions: ["Failed"] });
    expect(open([sliceOf([waiting, deviceOf("b")])]).get(claimOf([one("x")]))).toEqual([["x=b"]]);
  });
});

test("the allocation says where the devices are, and how they are configured", () => {
  const opaque = (of: string) => ({ opaque: { driver, parameters: { of } } });
  const large = classOf("any", { config: [opaque("class")] });
  const config = [opaque("claim"), { requests: ["y"], ...opaque("y") }, { requests: ["x/none"], ...opaque("none") }];
  expect(open([sliceOf([deviceOf("a")])], [large]).allocationOf(claimOf([one("x")], { config }))).toEqual({
    devices: {
      results: [{ request: "x", driver, pool: "p", device: "a" }],
      config: [
        { source: "FromClass", requests: ["x"], ...opaque("class") },
        { source: "FromClaim", ...opaque("claim") },
      ],
    },
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }] },
  });
  const zone = { key: "zone", operator: "In", values: ["a"] };
  const inZone = { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [zone] }] } };
  expect(open([sliceOf([deviceOf("a")], inZone)]).allocationOf(claimOf([one("x")]))?.nodeSelector).toEqual({
    nodeSelectorTerms: [{ matchExpressions: [zone] }],
  });
  const anywhere = { nodeName: undefined, allNodes: true };
  expect(open([sliceOf([deviceOf("a")], anywhere)]).allocationOf(claimOf([one("x")]))).not.toHaveProperty(
    "nodeSelector",
  );
});

test("a search that would take too long ends, and says so", () => {
  const many = Array.from({ length: 60 }, (_, at) => deviceOf(`d${at}`, { attributes: { at: { int: at } } }));
  const claim = claimOf([one("x", { count: 10 })], { constraints: [{ matchAttribute: `${driver}/at` }] });
  expect(open([sliceOf(many)]).get(claim)).toBeUndefined(); // quickly: nothing agrees
  const odd = Array.from({ length: 60 }, (_, at) => deviceOf(`d${at}`));
  const two = claimOf([one("x", { count: 15 }), one("y", { count: 15 }), one("z", { selectors: cel("false") })]);
  expect(deviceTriesMax).toBe(10_000);
  expect(open([sliceOf(odd)]).get(two)).toBe("timed out trying to allocate devices");
});

test("many devices are not looked through for many requests", () => {
  const perSlice = 1_000;
  const many = Array.from({ length: perSlice }, (_, at) => deviceOf(`d${at}`));
  const alternatives = Array.from({ length: 8 }, (_, at) => ({
    name: `a${at}`,
    deviceClassName: "any",
    selectors: cel("false"),
  }));
  const requests = Array.from({ length: 32 }, (_, at) => ({ name: `r${at}`, firstAvailable: alternatives }));
  expect(perSlice * requests.length * alternatives.length).toBeGreaterThan(deviceMatchesMax);
  expect(open([sliceOf(many)]).get(claimOf(requests))).toBeUndefined(); // the first request has no device
  const last = requests.map(({ name }) => ({
    name,
    firstAvailable: [...alternatives.slice(1), { name: "x", deviceClassName: "any" }],
  }));
  expect(open([sliceOf(many)]).get(claimOf(last))).toBe("timed out trying to allocate devices");
});

test("comparisons by constraints count as tries", () => {
  const devices = Array.from({ length: 32 }, (_, at) => deviceOf(`d${at}`, model("same")));
  const constraints = Array.from({ length: 32 }, () => ({ matchAttribute: `${driver}/model` }));
  expect(open([sliceOf(devices)]).get(claimOf([one("x", { count: 32 })], { constraints }))).toBe(
    "timed out trying to allocate devices",
  );
  expect(open([sliceOf(devices)]).get(claimOf([one("x", { count: 16 })], { constraints }))).toHaveLength(1);
});

test("expressions are evaluated in steps that say what they cost, and each once for a pod", () => {
  const { devices } = open([sliceOf([deviceOf("a"), deviceOf("b")])]);
  const items = JSON.stringify(Array.from({ length: 100 }, (_, at) => at));
  const claim = claimOf([one("x", { selectors: cel(`${items}.all(a, ${items}.all(b, a + b >= 0))`) })]);
  devices.seeClaim(claim);
  const resourceClaims = [{ name: "x", resourceClaimName: claim.metadata.name ?? "" }];
  const needs = devices.needsOf({
    metadata: { namespace: "ns", uid: "pod" },
    spec: { containers: [], resourceClaims },
  });
  if (needs === undefined || needs === "later" || "problem" in needs) throw new Error("it needs devices");
  const costs = () => [...devices.ask(needs, node)];
  const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
  const first = costs();
  expect(sum(first)).toBeGreaterThan(2 * 100 * 100);
  expect(first.length).toBeGreaterThan(4);
  expect(sum(costs())).toBe(2);
  expect(devices.grant(needs, node).granted).toHaveLength(1);
});

describe("what is decided counts at once", () => {
  const setUp = () => {
    const opened = open([sliceOf([deviceOf("a")])]);
    const first = claimOf([one("x")]);
    expect(opened.get(first)).toEqual([["x=a"]]);
    return { ...opened, first };
  };
  const second = () => claimOf([one("x")]);

  test("until it is seen, however old what is seen meanwhile is", () => {
    const { devices, get, first } = setUp();
    expect(get(second())).toBeUndefined();
    const protectedClaim = { ...first, metadata: { ...first.metadata, resourceVersion: "100" } };
    devices.seeClaim(protectedClaim);
    devices.written({ ...first, metadata: { ...first.metadata, resourceVersion: "102" } });
    devices.seeClaim({ ...protectedClaim, metadata: { ...first.metadata, resourceVersion: "101" } });
    expect(get(second())).toBeUndefined();
    devices.seeClaim({ ...first, metadata: { ...first.metadata, resourceVersion: "103" } });
    expect(get(second())).toEqual([["x=a"]]);
  });

  test("and no longer if it was not written, or the claim is gone", () => {
    const failed = setUp();
    failed.devices.undo([{ claim: failed.first, allocation: {} }]);
    expect(failed.get(second())).toEqual([["x=a"]]);
    const gone = setUp();
    gone.devices.forgetClaim(gone.first);
    expect(gone.get(second())).toEqual([["x=a"]]);
  });

  test("and another pod of the same claim waits until it is seen", () => {
    const { get, first } = setUp();
    expect(get(first)).toBe("later");
  });

  test("and that pod is told if it was seen before it was known to be written", () => {
    const { devices, get, first } = setUp();
    const told: string[] = [];
    devices.follow((claim) => told.push(...devices.takeAwaiting(claim)));
    const status = { allocation: {}, reservedFor: [{ resource: "pods", name: "p", uid: "u" }] };
    const seen = { ...first, metadata: { ...first.metadata, resourceVersion: "100" }, status };
    devices.seeClaim(seen);
    expect(get(seen)).toBe("later");
    expect(told).toEqual([]);
    devices.written(seen);
    expect(told).toHaveLength(1);
  });
});
