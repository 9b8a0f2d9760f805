import { describe, expect, test } from "vitest";
import { bindVersions, create, update } from "../life.suite.ts";
import { DaemonSet } from "./v1/daemon-set.ts";
import { Deployment } from "./v1/deployment.ts";
import { StatefulSet } from "./v1/stateful-set.ts";

const at = (kind: unknown, gates = {}) => bindVersions([kind], gates, "1.35").version("v1");
const [sets, deployments, daemons] = [at(StatefulSet), at(Deployment), at(DaemonSet)];
const earlier = bindVersions([StatefulSet]).version("v1");

const containers = [{ name: "c", image: "i" }];
const body = (spec: object = {}, pods: object = {}) => ({
  metadata: { name: "x" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers, ...pods } },
    ...spec,
  },
});

describe("a stateful set at level 1.35", () => {
  test("keeps claims unless it says otherwise, and counts available pods", () => {
    const { object, problems } = create(sets, body({ ordinals: { start: 3 }, minReadySeconds: 5 }));
    expect(problems).toEqual([]);
    expect(object["spec"]).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      ordinals: { start: 3 },
      minReadySeconds: 5,
    });
    expect(object["status"]).toEqual({ replicas: 0, availableReplicas: 0 });
    expect(create(earlier, body()).object["status"]).toEqual({ replicas: 0 });
  });

  const refused: readonly [spec: object, problem: string][] = [
    [
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep" } },
      "NotSupported spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
    ],
    [{ ordinals: { start: -1 } }, "Invalid spec.ordinals.start"],
    [{ minReadySeconds: -1 }, "Invalid spec.minReadySeconds"],
    [{ serviceName: "a.b" }, "Invalid spec.serviceName"],
  ];
  for (const [spec, problem] of refused) {
    test(`is refused: ${JSON.stringify(spec)}`, () => expect(create(sets, body(spec)).problems).toEqual([problem]));
  }

  test("has the name of a label, and pods that are valid with its claims as volumes", () => {
    expect(create(sets, { ...body(), metadata: { name: "a.b" } }).problems).toEqual(["Invalid metadata.name"]);
    expect(create(earlier, { ...body(), metadata: { name: "a.b" } }).problems).toEqual([]);
    expect(create(sets, body({}, { containers: [{ name: "c" }] })).problems).toEqual([
      "Required spec.template.spec.containers[0].image",
    ]);
    const claims = {
      volumeClaimTemplates: [
        {
          metadata: { name: "v" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
        },
      ],
    };
    const mounting = { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }] };
    expect(create(sets, body(claims, mounting)).problems).toEqual([]);
    expect(create(sets, body({}, mounting)).problems).toEqual([
      "NotFound spec.template.spec.containers[0].volumeMounts[0].name",
    ]);
  });

  test("changes what does not touch names and claims of pods", () => {
    const old = create(sets, body());
    const change = (part: object) =>
      update(sets, { ...old.object, spec: { ...(old.object["spec"] as object), ...part } }, old).problems;
    expect(change({ ordinals: { start: 2 }, minReadySeconds: 3, revisionHistoryLimit: 1 })).toEqual([]);
    expect(change({ serviceName: "other" })).toEqual(["Forbidden spec"]);
  });

  test("has a number of pods that may be unavailable only with its feature gate", () => {
    const rolling = (maxUnavailable: number | string) => ({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable } },
    });
    const path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
    const gated = at(StatefulSet, { MaxUnavailableStatefulSet: true });
    expect(create(sets, body(rolling(0))).problems).toEqual([]);
    expect(create(sets, body(rolling(2))).object["spec"]).not.toHaveProperty(
      "updateStrategy.rollingUpdate.maxUnavailable",
    );
    expect(create(gated, body(rolling(2))).object["spec"]).toMatchObject(rolling(2));
    expect(create(gated, body(rolling(0))).problems).toEqual([`Invalid ${path}`]);
    expect(create(gated, body(rolling("150%"))).problems).toEqual([`Invalid ${path}`]);
  });

  test("warns of a negative history", () => {
    expect(create(sets, body({ revisionHistoryLimit: -1 })).warnings).toHaveLength(1);
    expect(create(earlier, body({ revisionHistoryLimit: -1 })).warnings).toEqual([]);
  });
});

test("values of selectors are checked at level 1.35", () => {
  const selector = { matchExpressions: [{ key: "a", operator: "In", values: ["-b-", "b"] }] };
  expect(create(deployments, body({ selector })).problems).toContain(
    "Invalid spec.selector.matchExpressions[0].values[0]",
  );
});

test("a daemon set that replaces nothing at a time lacks a number", () => {
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } };
  expect(create(daemons, body({ updateStrategy })).problems).toEqual([
    "Required spec.updateStrategy.rollingUpdate.maxUnavailable",
  ]);
});
