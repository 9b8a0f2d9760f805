import { describe, expect, test } from "vitest";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { tableRow } from "../../machinery/table/table.ts";
import { timeText } from "../../machinery/values/time.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import type { ResourceClaimSpec } from "./v1/device-claim.ts";
import { DeviceClass } from "./v1/device-class.ts";
import { ResourceClaim } from "./v1/resource-claim.ts";
import { ResourceClaimTemplate } from "./v1/resource-claim-template.ts";
import { ResourceSlice } from "./v1/resource-slice.ts";
import { validateClaimStatus } from "./v1/validate-claim-status.ts";

const at = (kind: unknown, gates = {}) => bindVersions([kind], gates, "1.35").version("v1");
const [classes, claims, templates, slices] = [DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice].map(
  (kind) => at(kind),
) as [ReturnType<typeof at>, ReturnType<typeof at>, ReturnType<typeof at>, ReturnType<typeof at>];

const exactly = { deviceClassName: "gpu" };
const claim = (devices: { requests: object[]; constraints?: object[]; config?: object[] }) => ({ spec: { devices } });
const request = (part: object) => claim({ requests: [{ name: "a", ...part }] });
const selecting = (expression: string) => ({ selectors: [{ cel: { expression } }] });

test("a taint of a device says when it was added, and keeps that time", () => {
  const tainted = bindVersions([ResourceSlice], { DRADeviceTaints: true }, "1.37").version("v1");
  const slice = (...taints: object[]) => ({
    spec: {
      driver: "d.example",
      nodeName: "n",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "a", taints }],
    },
  });
  const [first, second] = [
    { key: "k", effect: "NoSchedule", timeAdded: "2020-01-01T00:00:00Z" },
    { key: "l", effect: "NoExecute" },
  ];
  const { object, problems } = create(tainted, slice(first, second));
  expect(problems).toEqual([]);
  const stamped = { ...second, timeAdded: timeText(tainted.family.environment.clock.now()) };
  expect(object["spec"]).toMatchObject({ devices: [{ taints: [first, stamped] }] });
});

test("a request asks for one device unless it says otherwise", () => {
  const requests = [
    { name: "a", exactly },
    { name: "b", exactly: { ...exactly, allocationMode: "All" } },
    { name: "c", firstAvailable: [{ name: "s", ...exactly, count: 2 }] },
  ];
  const { object, problems } = create(claims, claim({ requests }));
  expect(problems).toEqual([]);
  expect(object["spec"]).toEqual({
    devices: {
      requests: [
        { name: "a", exactly: { ...exactly, allocationMode: "ExactCount", count: 1 } },
        { name: "b", exactly: { ...exactly, allocationMode: "All" } },
        { name: "c", firstAvailable: [{ name: "s", ...exactly, allocationMode: "ExactCount", count: 2 }] },
      ],
    },
  });
});

test("a claim without requests shows that it has none", () => {
  const { object, problems } = create(claims, { spec: { devices: {} } });
  expect(problems).toEqual([]);
  expect(object["spec"]).toEqual({ devices: { requests: null } });
  const bound = create(claims, {
    spec: { devices: { constraints: [{ requests: ["a"], matchAttribute: "d.example/x" }] } },
  });
  expect(bound.problems).toEqual(["Invalid spec.devices.constraints[0].requests[0]"]);
});

describe("a claim is refused", () => {
  const path = "spec.devices.requests[0]";
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `r${index}`, exactly }));
  const refused: readonly [spec: object, ...problems: string[]][] = [
    [request({}), `Required ${path}`],
    [request({ exactly, firstAvailable: [{ name: "s", ...exactly }] }), `Invalid ${path}`],
    // Neither form is looked at while both are given.
    [request({ exactly: { deviceClassName: "B!" }, firstAvailable: [{ name: "S!" }] }), `Invalid ${path}`],
    [request({ exactly: { deviceClassName: "B!" } }), `Invalid ${path}.exactly.deviceClassName`],
    [request({ exactly: { ...exactly, allocationMode: "All", count: 1 } }), `Invalid ${path}.exactly.count`],
    [request({ exactly: { ...exactly, allocationMode: "Some" } }), `NotSupported ${path}.exactly.allocationMode`],
    [claim({ requests: [...many(1), ...many(1)] }), "Duplicate spec.devices.requests[1]"],
    [claim({ requests: many(33) }), "TooMany spec.devices.requests"],
    [
      claim({ requests: many(1), constraints: [{ requests: ["z"] }] }),
      "Invalid spec.devices.constraints[0].requests[0]",
      "Required spec.devices.constraints[0].matchAttribute",
    ],
    [
      claim({ requests: many(1), constraints: [{ matchAttribute: "n" }] }),
      "Invalid spec.devices.constraints[0].matchAttribute",
    ],
    [
      claim({ requests: many(1), config: [{ requests: ["r0"], opaque: { driver: "d", parameters: 1 } }] }),
      "Invalid spec.devices.config[0].opaque.parameters",
    ],
    [
      claim({ requests: many(1), config: [{ opaque: { driver: "Gpu.Example.COM", parameters: "x" } }] }),
      "Invalid spec.devices.config[0].opaque.parameters",
    ],
  ];
  for (const [spec, ...problems] of refused) {
    test(JSON.stringify(spec).slice(0, 150), () => expect(create(claims, spec).problems).toEqual(problems));
  }

  test("names of attributes with more than one slash are not looked at", () => {
    const constraints = [{ matchAttribute: "a/b/c" }];
    expect(create(claims, claim({ requests: many(1), constraints })).problems).toEqual([]);
  });
});

test("selectors are expressions about a device that are true or false", () => {
  const problems = (expression: string) => create(classes, { spec: selecting(expression) }).problems;
  expect(
    problems('device.attributes["a.b"].x > 3 && device.capacity["a.b"].mem.isGreaterThan(quantity("1Gi"))'),
  ).toEqual([]);
  for (const wrong of ["", "1 + 1", "device.nope", "device.allowMultipleAllocations"]) {
    expect(problems(wrong)).toEqual(["Invalid spec.selectors[0].cel.expression"]);
  }
  expect(problems(`"${"x".repeat(10_240)}" == device.driver`)).toEqual(["TooLong spec.selectors[0].cel.expression"]);
  const nested =
    "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b + c + d != ''))))";
  expect(problems(nested)).toEqual(["Forbidden spec.selectors[0].cel.expression"]);
});

test("each expression of an object is compiled once, in a step of its own, and known ones not again", () => {
  const steps = (kind: typeof claims, object: object, old?: object) => {
    const decoded = (body: object) => decodeKind(kind, { metadata: { name: "x" }, ...body });
    return [...(kind.strategy.validateInSteps?.(decoded(object), old && decoded(old), kind.family.environment) ?? [])]
      .length;
  };
  const selectors = (count: number, of: string) =>
    Array.from({ length: 32 }, (_, at) => ({ cel: { expression: `device.driver == "${of}${at % count}"` } }));
  const requests = [
    { name: "a", exactly: { ...exactly, selectors: selectors(32, "a") } },
    { name: "b", firstAvailable: [{ name: "s", ...exactly, selectors: selectors(4, "b") }] },
  ];
  const wanted = claim({ requests });
  expect(steps(claims, wanted)).toBe(36);
  expect(steps(claims, wanted, wanted)).toBe(0);
  expect(steps(templates, { spec: wanted })).toBe(36);
  const gpu = { spec: { selectors: selectors(3, "c") } };
  expect([steps(classes, gpu), steps(classes, gpu, gpu)]).toEqual([3, 0]);
  const wrong = claim({ requests: [{ name: "b", firstAvailable: [{ name: "s", ...exactly, ...selecting("1") }] }] });
  const path = "spec.devices.requests[0].firstAvailable[0].selectors[0].cel.expression";
  expect(create(claims, wrong).problems).toEqual([`Invalid ${path}`]);
  expect(create(templates, { spec: wrong }).problems).toEqual([`Invalid spec.${path}`]);
});

test("parameters of a configuration have a bounded size", () => {
  const body = (length: number) => ({
    spec: { config: [{ opaque: { driver: "d", parameters: { a: "x".repeat(length) } } }] },
  });
  expect(create(classes, body(10_000)).problems).toEqual([]);
  expect(create(classes, body(10_240)).problems).toEqual(["TooLong spec.config[0].opaque.parameters"]);
});

test("the spec of a claim and of a template never changes", () => {
  const old = create(claims, request({ exactly }));
  expect(update(claims, { metadata: { labels: { a: "b" } }, spec: old.object["spec"] }, old).problems).toEqual([]);
  expect(update(claims, request({ exactly: { ...exactly, count: 2 } }), old).problems).toEqual(["Invalid spec"]);
  const made = create(templates, { spec: { spec: request({ exactly }).spec } });
  expect(made.problems).toEqual([]);
  expect(update(templates, { spec: { spec: request({}).spec } }, made).problems).toEqual(["Invalid spec"]);
  const named = { spec: { metadata: { name: "n", labels: { "a b": "c" } }, spec: request({ exactly }).spec } };
  expect(create(templates, named).problems).toEqual(["Forbidden spec.metadata.name", "Invalid spec.metadata.labels"]);
});

test("fields of features that are off are dropped", () => {
  const given = {
    ...exactly,
    tolerations: [{ key: "k", operator: "Exists" }],
    capacity: { requests: { memory: "1" } },
  };
  expect(create(claims, request({ exactly: given })).object["spec"]).toMatchObject({
    devices: { requests: [{ exactly: { ...exactly, count: 1 } }] },
  });
  expect(JSON.stringify(create(claims, request({ exactly: given })).object)).not.toMatch(/tolerations|capacity/);
  const on = at(ResourceClaim, { DRADeviceTaints: true, DRAConsumableCapacity: true });
  expect(create(on, request({ exactly: given })).object["spec"]).toMatchObject({
    devices: { requests: [{ exactly: given }] },
  });
});

test("fields of features are checked where these are on", () => {
  const on = at(ResourceClaim, { DRADeviceTaints: true, DRAConsumableCapacity: true });
  const path = "spec.devices.requests[0].exactly.tolerations[0]";
  const tolerating = (toleration: object) =>
    create(on, request({ exactly: { ...exactly, tolerations: [toleration] } }));
  expect(tolerating({ key: "a.b/c", value: "x" }).object["spec"]).toMatchObject({
    devices: { requests: [{ exactly: { tolerations: [{ key: "a.b/c", operator: "Equal", value: "x" }] } }] },
  });
  expect(tolerating({ key: "a b", operator: "Like", effect: "Never" }).problems).toEqual([
    `Invalid ${path}.key`,
    `NotSupported ${path}.effect`,
    `NotSupported ${path}.operator`,
  ]);
  expect(tolerating({ operator: "Exists", value: "x" }).problems).toEqual([`Invalid ${path}.value`]);
  expect(tolerating({ value: "x y" }).problems).toEqual([`Invalid ${path}.value`]);
  const unconstrained = claim({ requests: [{ name: "a", exactly }], constraints: [{}] });
  expect(create(on, unconstrained).problems).toEqual(["Required spec.devices.constraints[0]"]);

  const named = at(DeviceClass, { DRAExtendedResource: true });
  expect(create(named, { spec: { extendedResourceName: "example.com/gpu" } }).problems).toEqual([]);
  for (const extendedResourceName of ["gpu", "requests.example.com/gpu"]) {
    const { problems } = create(named, { spec: { extendedResourceName } });
    expect(problems).toEqual(["Invalid spec.extendedResourceName"]);
  }
});

describe("the status of a claim", () => {
  const { environment } = claims.family;
  const spec = request({ exactly }).spec as ResourceClaimSpec;
  const result = { request: "a", driver: "d.example", pool: "p", device: "x" };
  const allocation = { devices: { results: [result] } };
  const check = (status: object, before: object = {}, metadata: object = {}) =>
    show(validateClaimStatus({ metadata, spec, status }, { metadata, spec, status: before }, environment));
  const consumer = { resource: "pods", name: "p", uid: "u" };

  test("names devices for requests of the claim, once", () => {
    expect(check({ allocation })).toEqual([]);
    expect(check({ allocation: { devices: { results: [{ ...result, request: "z", pool: "" }] } } })).toEqual([
      "Invalid status.allocation.devices.results[0].request",
      "Required status.allocation.devices.results[0].pool",
    ]);
    expect(check({ allocation: { devices: {} } }, { allocation })).toEqual(["Invalid status.allocation"]);
    expect(check({}, { allocation })).toEqual([]);
  });

  test("reserves what is allocated, but not for new consumers while it is deleted", () => {
    expect(check({ allocation, reservedFor: [consumer] }, { allocation })).toEqual([]);
    expect(check({ reservedFor: [consumer] })).toEqual(["Forbidden status.reservedFor"]);
    const deleted = { deletionTimestamp: "2024-01-01T00:00:00Z" };
    expect(check({ allocation, reservedFor: [consumer] }, { allocation }, deleted)).toEqual([
      "Forbidden status.reservedFor",
    ]);
    const many = Array.from({ length: 257 }, (_, index) => ({ ...consumer, uid: `u${index}` }));
    expect(check({ allocation, reservedFor: many }, { allocation })).toEqual(["TooMany status.reservedFor"]);
  });

  test("reports about allocated devices only", () => {
    const { request: _request, ...device } = result;
    expect(check({ allocation, devices: [{ ...device, networkData: { ips: ["10.0.0.1/24"] } }] })).toEqual([]);
    for (const data of [[], [1], "x", 1]) {
      expect(check({ allocation, devices: [{ ...device, data }] })).toEqual(["Invalid status.devices[0].data"]);
    }
    expect(check({ allocation, devices: [{ ...device, data: {} }] })).toEqual([]);
    expect(check({ allocation, devices: [{ ...device, device: "y" }] })).toEqual(["Invalid status.devices[0]"]);
    const network = { ips: ["10.0.0.01/24", "2001:DB8::1/64", "10.0.0.1", "2001:db8::1/64"] };
    expect(check({ allocation, devices: [{ ...device, networkData: network }] })).toEqual(
      [0, 1, 2].map((index) => `Invalid status.devices[0].networkData.ips[${index}]`),
    );
    const condition = { type: "Ready", status: "True", reason: "R", message: "", lastTransitionTime: timeText(0) };
    const conditions = [condition, { ...condition, status: "Yes" }];
    expect(check({ allocation, devices: [{ ...device, conditions }] })).toEqual([
      "Duplicate status.devices[0].conditions[1].type",
      "NotSupported status.devices[0].conditions[1].status",
    ]);
    expect(check({ allocation, devices: [{ ...device, shareID: "A" }] })).toEqual([
      "Invalid status.devices[0]",
      "Invalid status.devices[0].shareID",
    ]);
  });

  test("is one word in the table", () => {
    const row = (status: object) =>
      tableRow(claims, decodeKind(claims, { metadata: { name: "x" }, spec, status }), environment)[1];
    expect([row({}), row({ allocation }), row({ allocation, reservedFor: [consumer] })]).toEqual([
      "pending",
      "allocated",
      "allocated,reserved",
    ]);
  });
});

describe("a slice", () => {
  const body = (spec: object = {}) => ({
    spec: { driver: "d.example", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName: "n", ...spec },
  });
  const device = (part: object) => body({ devices: [{ name: "a", ...part }] });
  const refused: readonly [spec: object, ...problems: string[]][] = [
    [body({ nodeName: undefined }), "Required spec"],
    [body({ allNodes: true }), "Invalid spec"],
    [body({ pool: {} }), "Invalid spec.pool.resourceSliceCount", "Required spec.pool.name"],
    [
      body({ pool: { name: `${"a".repeat(251)}/B!`, resourceSliceCount: 1 } }),
      "Invalid spec.pool.name",
      "TooLong spec.pool.name",
    ],
    [body({ driver: "a".repeat(64) }), "TooLong spec.driver"],
    [body({ devices: [{ name: "a" }, { name: "a" }] }), "Duplicate spec.devices[1]"],
    [body({ devices: Array.from({ length: 129 }, (_, index) => ({ name: `d${index}` })) }), "TooMany spec.devices"],
    [device({ attributes: { x: {} } }), "Invalid spec.devices[0].attributes[x]"],
    [device({ attributes: { "a b": { int: 1 } } }), "Invalid spec.devices[0].attributes[a b]"],
    [device({ attributes: { "/n": { int: 1 } } }), "Invalid spec.devices[0].attributes[/n]"],
    [device({ capacity: { ["k".repeat(33)]: { value: "1" } } }), `TooLong spec.devices[0].capacity[${"k".repeat(33)}]`],
    [device({ attributes: { v: { version: "1.x" } } }), "Invalid spec.devices[0].attributes[v].version"],
    [device({ attributes: { s: { string: "x".repeat(65) } } }), "TooLong spec.devices[0].attributes[s].string"],
    [
      device({
        attributes: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, { int: index }])),
      }),
      "Invalid spec.devices[0]",
    ],
  ];
  for (const [spec, ...problems] of refused) {
    test(`is refused: ${JSON.stringify(spec).slice(0, 150)}`, () =>
      expect(create(slices, spec).problems).toEqual(problems));
  }

  describe("whose capacity is shared", () => {
    const on = at(ResourceSlice, { DRAConsumableCapacity: true, DRADeviceBindingConditions: true });
    const path = "spec.devices[0].capacity[mem].requestPolicy";
    const sharing = (requestPolicy: object, allowMultipleAllocations = true) =>
      create(on, device({ allowMultipleAllocations, capacity: { mem: { value: "10", requestPolicy } } })).problems;
    const policies: readonly [policy: object, ...problems: string[]][] = [
      [{}],
      [{ default: "2", validValues: ["1", "2"] }],
      [{ default: "4", validRange: { min: "2", max: "8", step: "2" } }],
      [{ validValues: ["1"] }, `Required ${path}.default`],
      [{ default: "1", validValues: ["1"], validRange: { min: "1" } }, `Forbidden ${path}`],
      [{ default: "3", validValues: ["2", "1"] }, `Invalid ${path}.validValues`, `Invalid ${path}.validValues[1]`],
      [{ default: "2", validValues: ["2", "11"] }, `Invalid ${path}.validValues[1]`],
      [{ default: "2", validValues: Array.from({ length: 11 }, () => "2") }, `TooMany ${path}.validValues`],
      [{ default: "2", validRange: {} }, `Required ${path}.validRange.min`],
      [
        { default: "1", validRange: { min: "2", max: "11" } },
        `Invalid ${path}.validRange.default`,
        `Invalid ${path}.validRange.max`,
      ],
      [{ default: "2", validRange: { min: "2", step: "0" } }, `Invalid ${path}.validRange.step`],
      [{ default: "3", validRange: { min: "2", step: "2" } }, `Invalid ${path}.validRange.step`],
    ];
    for (const [policy, ...problems] of policies) {
      test(`by ${JSON.stringify(policy)}`, () => expect(sharing(policy)).toEqual(problems));
    }
    test("only where several allocations are allowed", () =>
      expect(sharing({ default: "1" }, false)).toEqual([`Forbidden ${path}`]));
    test("and whose devices wait for conditions, in two lists that differ", () => {
      const waiting = (part: object) => create(on, device(part)).problems;
      expect(waiting({ bindingConditions: ["A"], bindingFailureConditions: ["B"] })).toEqual([]);
      expect(waiting({ bindingConditions: ["A"] })).toEqual(["Invalid spec.devices[0].bindingFailureConditions"]);
      expect(waiting({ bindingConditions: ["A", "A"], bindingFailureConditions: ["A"] })).toEqual([
        "Duplicate spec.devices[0].bindingConditions[1]",
        "Invalid spec.devices[0].bindingFailureConditions[0]",
      ]);
    });
  });

  test("keeps its driver, pool and node", () => {
    const old = create(slices, body());
    expect(old.problems).toEqual([]);
    expect(update(slices, body({ devices: [{ name: "b" }] }), old).problems).toEqual([]);
    expect(update(slices, body({ driver: "e.example", nodeName: "m" }), old).problems).toEqual([
      "Invalid spec.driver",
      "Invalid spec.nodeName",
    ]);
  });
});
