import { describe, expect, test } from "vitest";
import { bindVersions, create, show } from "../life.suite.ts";
import { PodDisruptionBudget } from "./v1/pod-disruption-budget.ts";
import { PodDisruptionBudget as Beta } from "./v1beta1/pod-disruption-budget.ts";
import { PodSecurityPolicy } from "./v1beta1/pod-security-policy.ts";

describe("a disruption budget", () => {
  const { version } = bindVersions([PodDisruptionBudget, Beta]);
  const v1 = version("v1");
  const beta = version("v1beta1");
  const budget = (spec: object) => ({ metadata: { name: "x" }, spec });

  const cases = [
    { spec: {}, problems: [] },
    { spec: { minAvailable: 1, maxUnavailable: 1 }, problems: ["Invalid spec"] },
    { spec: { minAvailable: -1 }, problems: ["Invalid spec.minAvailable"] },
    { spec: { maxUnavailable: "101%" }, problems: ["Invalid spec.maxUnavailable"] },
    { spec: { maxUnavailable: "ten" }, problems: ["Invalid spec.maxUnavailable"] },
    {
      spec: { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      problems: ["Required spec.selector.matchExpressions[0].values"],
    },
  ];
  for (const { spec, problems } of cases) {
    test(JSON.stringify(spec), () => expect(create(v1, budget(spec)).problems).toEqual(problems));
  }

  test("with an empty selector matches the same pods in both versions", () => {
    const key = "pdb.orch.io/deprecated-v1beta1-empty-selector-match";
    const none = { matchExpressions: [{ key, operator: "Exists" }] };
    const all = { matchExpressions: [{ key, operator: "DoesNotExist" }] };
    expect(create(beta, budget({ selector: {} })).hub["spec"]).toEqual({ selector: none });
    expect(beta.fromHub(create(v1, budget({ selector: {} })).hub)["spec"]).toEqual({ selector: all });
    expect(create(beta, budget({ selector: all })).hub["spec"]).toEqual({ selector: {} });
    expect(create(beta, budget({})).hub["spec"]).toEqual({});
    expect(create(v1, budget({ selector: none })).hub["spec"]).toEqual({ selector: none });
  });

  test("loses the label that represents an empty selector if there are others", () => {
    const note = { key: "pdb.orch.io/deprecated-v1beta1-empty-selector-match", operator: "Exists" };
    const other = { key: "a", operator: "Exists" };
    const selectorOf = (kind: typeof v1, selector: object) => create(kind, budget({ selector })).hub["spec"];
    for (const kind of [v1, beta]) {
      expect(selectorOf(kind, { matchExpressions: [note, other] })).toEqual({
        selector: { matchExpressions: [other] },
      });
      expect(selectorOf(kind, { matchLabels: { a: "b" }, matchExpressions: [note] })).toEqual({
        selector: { matchLabels: { a: "b" } },
      });
    }
  });

  test("has the counts of its status validated through v1 only, its conditions through both", () => {
    const status = {
      disruptionsAllowed: -1,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      conditions: [{ type: "X", status: "Maybe", lastTransitionTime: null, reason: "", message: "" }],
    };
    const problems = (kind: typeof v1) => {
      const object = { metadata: { name: "x" }, status };
      return show(kind.subresources.get("status")?.validate?.(object, object, kind.family.environment) ?? []);
    };
    const conditions = [
      "NotSupported status.conditions[0].status",
      "Required status.conditions[0].lastTransitionTime",
      "Required status.conditions[0].reason",
    ];
    expect(problems(beta)).toEqual(conditions);
    expect(problems(v1)).toEqual(["Invalid status.disruptionsAllowed", ...conditions]);
  });
});

describe("a pod security policy", () => {
  const kind = bindVersions([PodSecurityPolicy]).version("v1beta1");
  const any = { rule: "RunAsAny" };
  const policy = (spec: object, annotations: object = {}) => ({
    metadata: { name: "x", annotations },
    spec: { seLinux: any, runAsUser: any, fsGroup: any, supplementalGroups: any, ...spec },
  });

  test("allows privilege escalation by default", () => {
    expect(create(kind, policy({})).object["spec"]).toMatchObject({ allowPrivilegeEscalation: true });
  });

  const cases = [
    {
      spec: { seLinux: { rule: "X" }, runAsGroup: { rule: "" } },
      problems: ["NotSupported spec.runAsGroup.rule", "NotSupported spec.seLinux.rule"],
    },
    {
      spec: { runAsUser: { rule: "MustRunAs", ranges: [{ min: 5, max: -1 }] } },
      problems: ["Invalid spec.runAsUser.ranges[0].max", "Invalid spec.runAsUser.ranges[0].min"],
    },
    { spec: { volumes: ["floppy", "*", "ephemeral"] }, problems: ["NotSupported spec.volumes"] },
    {
      spec: { requiredDropCapabilities: ["A"], allowedCapabilities: ["*"] },
      problems: ["Invalid requiredDropCapabilities"],
    },
    {
      spec: { requiredDropCapabilities: ["A"], allowedCapabilities: ["A"], defaultAddCapabilities: ["A"] },
      problems: ["Invalid allowedCapabilities", "Invalid defaultAddCapabilities"],
    },
    {
      spec: { allowedHostPaths: [{ pathPrefix: "/a/../b" }, { pathPrefix: "" }, { pathPrefix: ".." }] },
      problems: ["Invalid spec.allowedHostPaths[0]", "Required spec.allowedHostPaths[1]"],
    },
    {
      spec: { runAsGroup: { rule: "RunAsAny", ranges: [{ min: -1, max: 1 }] } },
      problems: ["Invalid spec.runAsGroup.ranges"],
    },
    { spec: { runAsGroup: { rule: "MayRunAs" } }, problems: ["Invalid spec.runAsGroup.ranges"] },
    {
      spec: { runAsGroup: { rule: "MustRunAs", ranges: [{ min: 2, max: 1 }] } },
      problems: ["Invalid spec.runAsGroup.ranges[0].min"],
    },
    {
      spec: { runAsGroup: { rule: "Odd", ranges: [{ min: 2, max: 1 }] } },
      problems: ["NotSupported spec.runAsGroup.rule"],
    },
    {
      spec: { allowedFlexVolumes: [{ driver: "" }], allowedCSIDrivers: [{ name: "" }, { name: "Good.Driver" }] },
      problems: [
        "Invalid spec.allowedCSIDrivers.allowedCSIDriver[0].name",
        "Required spec.allowedCSIDrivers.allowedCSIDriver[0].name",
        "Required spec.allowedFlexVolumes.allowedFlexVolumes[0].driver",
      ],
    },
    {
      spec: { allowedCSIDrivers: [{ name: "a".repeat(64) }, { name: "a_b" }] },
      problems: [
        "Invalid spec.allowedCSIDrivers.allowedCSIDriver[1].name",
        "TooLong spec.allowedCSIDrivers.allowedCSIDriver[0].name",
      ],
    },
    {
      spec: { runtimeClass: { allowedRuntimeClassNames: ["*", "a"] } },
      problems: ["Invalid spec.runtimeClass.allowedRuntimeClassNames"],
    },
    { spec: { allowedUnsafeSysctls: ["*", "a.b"] }, problems: ["Forbidden spec.allowedUnsafeSysctls.items"] },
    {
      spec: { allowedUnsafeSysctls: ["a.*"], forbiddenSysctls: ["a.b"] },
      problems: ["Invalid spec.forbiddenSysctls[0]"],
    },
    {
      spec: {
        allowedUnsafeSysctls: Array.from({ length: 400 }, (_, at) => `a.${at}`),
        forbiddenSysctls: Array.from({ length: 400 }, (_, at) => `b.${at}`),
      },
      problems: ["Invalid spec.forbiddenSysctls"],
    },
    {
      spec: { allowedUnsafeSysctls: ["a.b.*"], forbiddenSysctls: ["a.*"] },
      problems: ["Invalid spec.allowedUnsafeSysctls[0]"],
    },
    {
      spec: { runtimeClass: { allowedRuntimeClassNames: ["a", "a"], defaultRuntimeClassName: "b" } },
      problems: [
        "Duplicate spec.runtimeClass.allowedRuntimeClassNames[1]",
        "Required spec.runtimeClass.allowedRuntimeClassNames",
      ],
    },
  ];
  for (const { spec, problems } of cases) {
    test(JSON.stringify(spec).slice(0, 100), () => expect(create(kind, policy(spec)).problems).toEqual(problems));
  }

  test("drops allowed CSI drivers if inline CSI volumes are disabled", () => {
    const without = bindVersions([PodSecurityPolicy], { CSIInlineVolume: false }).version("v1beta1");
    const { object } = create(without, policy({ allowedCSIDrivers: [{ name: "a.example" }] }));
    expect(object["spec"]).not.toHaveProperty("allowedCSIDrivers");
  });

  test("must have valid profiles in its annotations", () => {
    const empty = { "seccomp.security.alpha.orch.io/defaultProfileName": "" };
    expect(create(kind, policy({}, empty)).problems).toEqual([]);
    const annotations = {
      "seccomp.security.alpha.orch.io/allowedProfileNames": "*,localhost/../x",
      "apparmor.security.beta.orch.io/defaultProfileName": "localhost/mine",
    };
    expect(create(kind, policy({}, annotations)).problems).toEqual([
      "Invalid metadata.annotations[seccomp.security.alpha.orch.io/allowedProfileNames]",
    ]);
  });
});
