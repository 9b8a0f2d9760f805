import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { arbitraryObjects } from "../../machinery/schema/arbitrary.suite.ts";
import { convertInSteps, convertNow, throughHub, throughHubInSteps } from "../../machinery/schema/convert.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { HorizontalPodAutoscaler as V1 } from "./v1/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as V2 } from "./v2/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as V2beta1 } from "./v2beta1/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler as V2beta2 } from "./v2beta2/horizontal-pod-autoscaler.ts";

const { version } = bindVersions([V1, V2beta1, V2beta2]);
const v1 = version("v1");
const v2beta1 = version("v2beta1");
const v2beta2 = version("v2beta2");

const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
const body = (spec: object = {}, annotations?: object) => ({
  metadata: { name: "x", ...(annotations ? { annotations } : {}) },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
});
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 40 } } };
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Mi" } },
};

describe("versions of an autoscaler", () => {
  test("all default to a CPU metric", () => {
    expect(create(v1, body()).object["spec"]).toMatchObject({ minReplicas: 1, targetCPUUtilizationPercentage: 80 });
    expect(create(v2beta1, body()).hub).toEqual(create(v1, body()).hub);
    expect(create(v2beta2, body()).hub).toEqual(create(v1, body()).hub);
  });

  test("v1 carries other metrics in annotations and restores CPU as the last", () => {
    const behavior = { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 10 }] } };
    const { hub } = create(v2beta2, body({ metrics: [cpu, memory], behavior }));
    const shown = v1.fromHub(hub);
    expect(shown.metadata.annotations).toEqual({
      "autoscaling.alpha.orch.io/metrics":
        '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Mi"}}]',
      "autoscaling.alpha.orch.io/behavior":
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":10}]},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}]}}',
    });
    expect(shown["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 40 });
    expect(v1.toHub(shown)).toEqual({
      ...hub,
      spec: { ...(hub["spec"] as object), metrics: [memory, cpu] },
    });
  });

  test("an unreadable annotation is ignored", () => {
    for (const text of ["nope", "[1]", '{"a":1}', `${"[".repeat(10_000)}`]) {
      const { object } = create(v1, body({}, { "autoscaling.alpha.orch.io/metrics": text, kept: "1" }));
      expect(object.metadata.annotations).toEqual({ kept: "1" });
      expect(object["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 80 });
    }
  });

  test("v2beta2 drops the annotations that v1 uses", () => {
    const { object } = create(v2beta2, body({}, { "autoscaling.alpha.orch.io/conditions": "[]" }));
    expect(object.metadata.annotations).toBeUndefined();
  });

  test("a second CPU metric is kept beside the one that v1 has a field for", () => {
    const { hub } = create(v2beta2, body({ metrics: [cpu, cpu, memory] }));
    const { metrics } = v1.toHub(v1.fromHub(hub))["spec"] as { metrics: unknown[] };
    expect(metrics).toHaveLength(3);
  });

  test("a large one is converted in steps, with the same outcome", () => {
    const metrics = Array.from({ length: 1_000 }, (_, at) => ({
      ...memory,
      resource: { ...memory.resource, name: `r${at}` },
    }));
    const { hub } = create(v2beta2, body({ metrics: [cpu, ...metrics] }));
    for (const other of [v1, v2beta1]) {
      const there = convertNow(hub, v2beta2, other);
      for (const [object, from, to] of [
        [hub, v2beta2, other],
        [there, other, v2beta2],
      ] as const) {
        let count = 0;
        const steps = convertInSteps(object, from, to);
        for (let step = steps.next(); ; step = steps.next(), count++) {
          if (!step.done) continue;
          expect(step.value).toEqual(convertNow(object, from, to));
          expect(JSON.stringify(step.value)).toBe(JSON.stringify(convertNow(object, from, to)));
          break;
        }
        expect(count).toBeGreaterThan(1);
      }
      expect(finish(throughHubInSteps(there, other))).toEqual(throughHub(there, other));
    }
  });

  test("everything that v2beta1 has survives a round trip through v1", () => {
    const bySort = (metrics: unknown) => [...(metrics as unknown[])].map((each) => JSON.stringify(each)).sort();
    const check = (object: Record<string, unknown>) => {
      const hub = v2beta1.toHub(decodeKind(v2beta1, object) as ApiObject) as ApiObject & Record<string, object>;
      const back = v1.toHub(v1.fromHub(hub)) as ApiObject & Record<string, object>;
      const { metrics = [], ...spec } = hub["spec"] as { metrics?: unknown[] };
      const { metrics: kept = [], ...keptSpec } = back["spec"] as { metrics?: unknown[] };
      expect({ ...back, spec: keptSpec }).toEqual({ ...hub, spec });
      if (metrics.length > 0) expect(bySort(kept)).toEqual(bySort(metrics));
    };
    fc.assert(fc.property(arbitraryObjects(v2beta1.schema), check), { numRuns: 100 });
  });
});

describe("an autoscaler", () => {
  const object = (target: object) => ({
    type: "Object",
    object: { metric: { name: "m" }, target, describedObject: scaleTargetRef },
  });
  const cases = [
    {
      why: "must not have a maximum below the minimum",
      spec: { minReplicas: 5 },
      problems: ["Invalid spec.maxReplicas"],
    },
    {
      why: "must have a maximum of at least one",
      spec: { maxReplicas: 0 },
      problems: ["Invalid spec.maxReplicas", "Invalid spec.maxReplicas"],
    },
    {
      why: "may have a minimum of zero only if the feature is on, with object or external metrics",
      spec: { minReplicas: 0 },
      problems: ["Forbidden spec.metrics", "Invalid spec.minReplicas"],
    },
    {
      why: "must name its scale target",
      spec: { scaleTargetRef: {} },
      problems: ["Required spec.scaleTargetRef.kind", "Required spec.scaleTargetRef.name"],
    },
    {
      why: "must have a source for each metric",
      spec: { metrics: [{ type: "Foo" }, { type: "Pods" }] },
      problems: ["NotSupported spec.metrics[0].type", "Required spec.metrics[1].pods"],
    },
    {
      why: "must have only one source for a metric",
      spec: { metrics: [{ ...cpu, ...object({ type: "Value", value: "1" }), type: "Resource" }] },
      problems: ["Forbidden spec.metrics[0].object"],
    },
    {
      why: "must have a target value",
      spec: { metrics: [object({ type: "Value" })] },
      problems: ["Required spec.metrics[0].object.target.averageValue"],
    },
    {
      why: "must have a positive target value",
      spec: { metrics: [object({ type: "Value", value: "-1" })] },
      problems: ["Invalid spec.metrics[0].object.target.value"],
    },
    {
      why: "must have a positive average of pods",
      spec: {
        metrics: ["0", undefined].map((averageValue) => ({
          type: "Pods",
          pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue } },
        })),
      },
      problems: [
        "Invalid spec.metrics[0].pods.target.averageValue",
        "Required spec.metrics[1].pods.target.averageValue",
      ],
    },
    {
      why: "may have an average value without a value",
      spec: { metrics: [object({ type: "AverageValue", averageValue: "1" })] },
      problems: [],
    },
    {
      why: "must not use a metric type whose feature is off",
      spec: { metrics: [{ type: "ContainerResource", containerResource: { ...cpu.resource, container: "c" } }] },
      problems: ["Required spec.metrics[0].containerResource"],
    },
    {
      why: "must not have an empty list of scaling policies",
      spec: { behavior: { scaleUp: { policies: [] } } },
      problems: ["Required spec.behavior.scaleUp.policies"],
    },
    { why: "may omit the scaling policies", spec: { behavior: { scaleUp: { policies: null } } }, problems: [] },
    {
      why: "must have scaling policies within their bounds",
      spec: {
        behavior: {
          scaleDown: {
            stabilizationWindowSeconds: 3601,
            selectPolicy: "Any",
            policies: [{ type: "X", value: 0, periodSeconds: 1801 }],
          },
        },
      },
      problems: [
        "Invalid spec.behavior.scaleDown.policies[0].periodSeconds",
        "Invalid spec.behavior.scaleDown.policies[0].value",
        "Invalid spec.behavior.scaleDown.stabilizationWindowSeconds",
        "NotSupported spec.behavior.scaleDown.policies[0].type",
        "NotSupported spec.behavior.scaleDown.selectPolicy",
      ],
    },
  ];
  for (const { why, spec, problems } of cases) {
    test(`${why}: ${JSON.stringify(spec).slice(0, 100)}`, () =>
      expect(create(v2beta2, body(spec)).problems).toEqual(problems));
  }

  test("with an average for an object may still be updated after a round trip through v1", () => {
    const before = create(v2beta2, body({ metrics: [object({ type: "AverageValue", averageValue: "1" })] }));
    const kept = v1.toHub(v1.fromHub(before.hub));
    expect(update(v2beta2, kept, before).problems).toEqual([]);
  });
});

test("the row of an autoscaler shows two targets and the number of the others", () => {
  const { hub } = create(v2beta2, body({ metrics: [memory, cpu, cpu] }));
  const current = { type: "Resource", resource: { name: "memory", current: { averageValue: "330k" } } };
  const object = {
    ...hub,
    status: { currentReplicas: 2, desiredReplicas: 2, currentMetrics: [current], conditions: [] },
  };
  const cells = tableRow(v1, v1.fromHub(object), v1.family.environment);
  expect(cells.slice(1, 6)).toEqual(["Deployment/d", "330k/1Mi, <unknown>/40% + 1 more...", "1", 3, 2]);
});

describe("at level 1.35 an autoscaler", () => {
  const v2 = bindVersions([V1, V2, V2beta2], {}, "1.35").version("v2");
  const target = (kind: string, apiVersion: string) => body({ scaleTargetRef: { kind, name: "d", apiVersion } });
  const described = (apiVersion: string) => ({
    type: "Object",
    object: {
      describedObject: { kind: "Ingress", name: "i", apiVersion },
      metric: { name: "m" },
      target: { type: "Value", value: "1" },
    },
  });
  const wrong = ["Invalid spec.scaleTargetRef.apiVersion"];

  test.each([
    { kind: "Deployment", apiVersion: "apps/v1", problems: [] },
    { kind: "Deployment", apiVersion: "", problems: wrong },
    { kind: "Deployment", apiVersion: "v1", problems: wrong },
    { kind: "Deployment", apiVersion: "/v1", problems: wrong },
    { kind: "Deployment", apiVersion: "a/b/c", problems: wrong },
    { kind: "ReplicationController", apiVersion: "", problems: [] },
    { kind: "ReplicationController", apiVersion: "v1", problems: [] },
    { kind: "ReplicationController", apiVersion: "a/b/c", problems: wrong },
  ])("scales a $kind of $apiVersion: $problems", ({ kind, apiVersion, problems }) => {
    expect(create(v2, target(kind, apiVersion)).problems).toEqual(problems);
  });

  test("may keep a target that could not be given today, but not take another such kind", () => {
    const old = create(v2, target("Deployment", "v1"));
    expect(
      update(v2, { ...target("Deployment", "v1"), spec: { ...(old.object["spec"] as object), maxReplicas: 9 } }, old)
        .problems,
    ).toEqual([]);
    expect(update(v2, target("Thing", "v1"), old).problems).toEqual(wrong);
  });

  test("gets the rest of a behavior that an annotation of v1 gives in part", () => {
    const v1 = bindVersions([V1, V2, V2beta2], {}, "1.35").version("v1");
    const annotations = { "autoscaling.alpha.orch.io/behavior": '{"ScaleUp":{"StabilizationWindowSeconds":5}}' };
    expect(create(v1, body({}, annotations)).object.metadata.annotations).toEqual({
      "autoscaling.alpha.orch.io/behavior":
        '{"ScaleUp":{"StabilizationWindowSeconds":5,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}',
    });
  });

  test("measures an object of any group, in a version that can be read", () => {
    const at = ["Invalid spec.metrics[1].object.describedObject.apiVersion"];
    expect(create(v2, body({ metrics: [described(""), described("a/b/c")] })).problems).toEqual(at);
    const old = create(v2, body({ metrics: [cpu, described("a/b/c")] }));
    expect(update(v2, body({ metrics: [described("c/d/e")] }), old).problems).toEqual([]);
  });
});

test("an autoscaler names a container and its resource as pods do", () => {
  const target = { type: "Utilization", averageUtilization: 5 };
  const problemsOf = (containerResource: object) =>
    create(
      bindVersions([V1, V2beta1, V2beta2, V2], {}, "1.35").version("v2"),
      body({ metrics: [{ type: "ContainerResource", containerResource }] }),
    ).problems;
  expect(problemsOf({ name: "cpu", container: "c", target })).toEqual([]);
  expect(problemsOf({ name: "gold", container: "A_", target })).toEqual([
    "Invalid spec.metrics[0].containerResource.container",
    "Invalid spec.metrics[0].containerResource.name",
  ]);
});
