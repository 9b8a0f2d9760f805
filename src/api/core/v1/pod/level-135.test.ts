import { describe, expect, test } from "vitest";
import { bindVersions, create, show, update } from "../../../life.suite.ts";
import { container, pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

const now = bindVersions([Pod], {}, "1.35").version("v1");
const early = bindVersions([Pod]).version("v1");
const problems = (spec: object, metadata: object = {}) => create(now, pod(spec, metadata)).problems;
const one = (given: object) => ({ containers: [{ ...container, ...given }] });
const init = (given: object) => ({ initContainers: [{ name: "i", image: "i", ...given }] });
const rule = { action: "Restart", exitCodes: { operator: "In", values: [3] } };
const sized = (cpu: string) => ({ requests: { cpu, memory: "1Gi" }, limits: { cpu: "2", memory: "1Gi" } });

describe("at level 1.35 a pod", () => {
  const cases: { why: string; spec: object; expected: readonly string[]; metadata?: object }[] = [
    {
      why: "may have probes and hooks in init containers that always restart",
      spec: init({
        restartPolicy: "Always",
        livenessProbe: { grpc: { port: 1 } },
        lifecycle: { preStop: { sleep: { seconds: 3 } } },
      }),
      expected: [],
    },
    {
      why: "may not have them in other init containers",
      spec: init({ livenessProbe: { tcpSocket: { port: 1 } } }),
      expected: ["Forbidden spec.initContainers[0].livenessProbe"],
    },
    {
      why: "is not told what is wrong inside a field that it may not have",
      spec: {
        initContainers: [
          {
            name: "i",
            image: "i",
            livenessProbe: {},
            readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1, terminationGracePeriodSeconds: 1 },
            lifecycle: { preStop: { exec: {} } },
          },
          { name: "j", image: "i", restartPolicy: "Always", startupProbe: { exec: {} } },
        ],
      },
      expected: [
        "Forbidden spec.initContainers[0].lifecycle",
        "Forbidden spec.initContainers[0].livenessProbe",
        "Forbidden spec.initContainers[0].readinessProbe",
        "Required spec.initContainers[1].startupProbe.exec.command",
      ],
    },
    {
      why: "may ask for no huge pages",
      spec: one({ resources: { limits: { cpu: "1", "hugepages-2Mi": "0" } } }),
      expected: [],
    },
    {
      why: "may write kernel parameters with slashes",
      spec: {
        securityContext: {
          sysctls: [
            { name: "net/ipv4/conf/eth0.100/forwarding", value: "1" },
            { name: "a//b", value: "" },
          ],
        },
      },
      expected: ["Invalid spec.securityContext.sysctls[1].name"],
    },
    {
      why: "keeps the file of a token within its volume",
      spec: {
        serviceAccountName: "a",
        volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "../t" } }] } }],
      },
      expected: ["Invalid spec.volumes[0].projected.path"],
    },
    {
      why: "for windows may not say anything about sharing its processes",
      spec: { os: { name: "windows" }, shareProcessNamespace: false },
      expected: ["Forbidden spec.shareProcessNamespace"],
    },
    {
      why: "may have restart rules only beside a policy",
      spec: one({ restartPolicyRules: [rule] }),
      expected: ["Required spec.containers[0].restartPolicy"],
    },
    {
      why: "has known actions and exit codes in restart rules",
      spec: one({ restartPolicy: "Never", restartPolicyRules: [{}, { ...rule, exitCodes: { operator: "Is" } }] }),
      expected: [
        "NotSupported spec.containers[0].restartPolicyRules[0].action",
        "NotSupported spec.containers[0].restartPolicyRules[1].exitCodes.operator",
        "Required spec.containers[0].restartPolicyRules[0].exitCodes",
      ],
    },
    {
      why: "has at most 20 restart rules",
      spec: one({ restartPolicy: "Never", restartPolicyRules: Array.from({ length: 21 }, () => rule) }),
      expected: ["TooLong spec.containers[0].restartPolicyRules"],
    },
    {
      why: "may not sleep longer in a hook than its grace period",
      spec: one({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      expected: ["Invalid spec.containers[0].lifecycle.preStop.sleep"],
    },
    {
      why: "is refused only for another action beside a sleep",
      spec: one({ lifecycle: { preStop: { exec: { command: ["a"] }, sleep: { seconds: 31 } } } }),
      expected: ["Forbidden spec.containers[0].lifecycle.preStop.sleep"],
    },
    {
      why: "of one operating system has no settings of the other",
      spec: { os: { name: "windows" }, hostPID: true, securityContext: { runAsUser: 1 } },
      expected: ["Forbidden spec.hostPID", "Forbidden spec.securityContext.runAsUser"],
    },
    { why: "names a known operating system", spec: { os: { name: "plan9" } }, expected: ["NotSupported spec.os"] },
    {
      why: "with its own user namespace does not use those of the host",
      spec: { hostUsers: false, hostIPC: true },
      expected: ["Forbidden spec.HostIPC"],
    },
    {
      why: "has at least the resources of its containers",
      spec: {
        ...one({ resources: { requests: { cpu: "2" }, limits: { cpu: "5" } } }),
        resources: { requests: { cpu: "1" }, limits: { cpu: "4" } },
      },
      expected: ["Invalid spec.resources.containers[0][cpu].limits", "Invalid spec.resources.requests[cpu]"],
    },
    {
      why: "has the claims that its containers use",
      spec: one({ resources: { claims: [{ name: "gpu" }, { name: "gpu" }] } }),
      expected: [
        "Duplicate spec.containers[0].resources.claims[1]",
        "NotFound spec.containers[0].resources.claims[0]",
        "NotFound spec.containers[0].resources.claims[1]",
      ],
    },
    {
      why: "names claims and their requests",
      spec: {
        ...one({ resources: { claims: [{ name: "" }, { name: "a", request: "R" }, { name: "a" }] } }),
        resourceClaims: [{ name: "a", resourceClaimName: "b" }],
      },
      expected: [
        "Duplicate spec.containers[0].resources.claims[2]",
        "Invalid spec.containers[0].resources.claims[1].request",
        "Required spec.containers[0].resources.claims[0]",
      ],
    },
    {
      why: "need not request what only its containers name",
      spec: {
        ...one({ resources: { requests: { memory: "1Gi", "ephemeral-storage": "1Gi" } } }),
        resources: { requests: { cpu: "1" } },
      },
      expected: [],
    },
    {
      why: "may use all huge pages of its containers together",
      spec: {
        containers: ["a", "b"].map((name) => ({
          name,
          image: "i",
          resources: { limits: { "hugepages-2Mi": "4Mi" }, requests: { cpu: "1" } },
        })),
        resources: { limits: { cpu: "2", "hugepages-2Mi": "6Mi" } },
      },
      expected: ["Invalid spec.resources.limits[hugepages-2Mi]", "Invalid spec.resources.requests[hugepages-2Mi]"],
    },
    {
      why: "has huge pages as a whole only beside cpu or memory, and requests all that it may use",
      spec: { resources: { limits: { "hugepages-2Mi": "4Mi" }, requests: { "hugepages-2Mi": "2Mi" } } },
      expected: ["Forbidden spec.resources", "Invalid spec.resources.requests"],
    },
    {
      why: "has whole huge pages",
      spec: one({ resources: { limits: { cpu: "1", "hugepages-2Mi": "3Mi" } } }),
      expected: [
        "Invalid spec.containers[0].resources.limits[hugepages-2Mi]",
        "Invalid spec.containers[0].resources.requests[hugepages-2Mi]",
      ],
    },
    {
      why: "does not match and mismatch the same label key",
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "z", labelSelector: {}, matchLabelKeys: ["a"], mismatchLabelKeys: ["b", "a"] },
            ],
          },
        },
      },
      expected: [
        "Invalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]",
      ],
    },
    {
      why: "takes each claim from one source",
      spec: { resourceClaims: [{ name: "a" }, { name: "b", resourceClaimName: "B!" }] },
      expected: ["Invalid spec.resourceClaims[0]", "Invalid spec.resourceClaims[1].resourceClaimName"],
    },
    {
      why: "with gates has no node yet, and each gate once",
      spec: { nodeName: "n", schedulingGates: [{ name: "a" }, { name: "a" }, { name: "" }] },
      expected: ["Duplicate spec.schedulingGates[1]", "Forbidden spec.nodeName", "Invalid spec.schedulingGates[2]"],
    },
    {
      why: "names an AppArmor profile where it says that it has one",
      spec: { securityContext: { appArmorProfile: { type: "Localhost" } } },
      expected: ["Required spec.securityContext.appArmorProfile.localhostProfile"],
    },
    {
      why: "has a label key in its selector once",
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "z",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { a: "b" } },
            matchLabelKeys: ["a"],
          },
        ],
      },
      metadata: { labels: { a: "b" } },
      expected: ["Invalid spec.topologySpreadConstraints[0][0]"],
    },
    {
      why: "reads variables from files in its empty directories only",
      spec: {
        ...one({ env: [{ name: "A B", valueFrom: { fileKeyRef: { volumeName: "c", path: "../f", key: "k" } } }] }),
        volumes: [{ name: "c", configMap: { name: "m" } }],
      },
      expected: [
        "Invalid spec.containers[0].env[0].valueFrom.fileKeyRef.path",
        "Invalid spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName",
      ],
    },
    {
      why: "may have 32 search domains with underscores",
      spec: { dnsConfig: { searches: [".", "_a.b", ...Array.from({ length: 31 }, (_, index) => `s${index}`)] } },
      expected: ["Invalid spec.dnsConfig.searches"],
    },
  ];
  for (const { why, spec, metadata, expected } of cases)
    test(why, () => expect(problems(spec, metadata)).toEqual(expected));

  test("does not keep what the gates do not turn on", () => {
    const lifecycle = { stopSignal: "SIGTERM" };
    const volumes = [{ name: "v", projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } }];
    const { object } = create(now, pod({ ...one({ lifecycle }), volumes, workloadRef: { name: "w", podGroup: "g" } }));
    expect(object["spec"]).not.toHaveProperty("workloadRef");
    expect(object["spec"]).toMatchObject({ volumes: [{ projected: { sources: [{}] } }] });
    expect(object["spec"]).not.toHaveProperty("containers.0.lifecycle");
  });

  test("makes requirements of label keys that it has, and tells that it is gated", () => {
    const term = { topologyKey: "z", labelSelector: {}, matchLabelKeys: ["a", "none"], mismatchLabelKeys: ["b"] };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const { object } = create(now, pod({ affinity, schedulingGates: [{ name: "g" }] }, { labels: { a: "1", b: "2" } }));
    const expressions = [
      { key: "a", operator: "In", values: ["1"] },
      { key: "b", operator: "NotIn", values: ["2"] },
    ];
    expect(object).toMatchObject({
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchExpressions: expressions } }],
          },
        },
      },
      status: { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    });
  });

  test("has users of Linux with valid ids in its status", () => {
    const validate = now.subresources.get("status")?.validate;
    const before = { metadata: {}, spec: one({}), status: {} };
    const linux = { uid: -1, gid: 0, supplementalGroups: [5, 2 ** 31] };
    const status = { containerStatuses: [{ name: "c", user: { linux } }] };
    expect(show(validate?.({ ...before, status }, before, now.family.environment) ?? [])).toEqual([
      "Invalid status.containerStatuses[0].user.linux.supplementalGroups[1]",
      "Invalid status.containerStatuses[0].user.linux.uid",
    ]);
  });

  test("with gates and without a selector may lose them, and get a selector", () => {
    const gated = { schedulingGates: [{ name: "g" }, { name: "h" }] };
    const old = create(now, pod(gated));
    const changed = (spec: object) => update(now, pod(spec), old).problems;
    expect(changed({ schedulingGates: [{ name: "h" }] })).toEqual([]);
    expect(changed({})).toEqual([]);
    expect(changed({ ...gated, nodeSelector: { a: "b" } })).toEqual([]);
    expect(changed({ ...gated, hostname: "other" })).toEqual(["Forbidden spec"]);
  });

  test("without gates cannot get any, and is refused once", () =>
    expect(update(now, pod({ schedulingGates: [{ name: "g" }] }), create(now, pod({}))).problems).toEqual([
      "Forbidden spec.schedulingGates[0].name",
    ]));

  test("with gates may only get narrower, and lose them", () => {
    const gated = { schedulingGates: [{ name: "g" }], nodeSelector: { a: "b" } };
    const old = create(now, pod(gated));
    const changed = (spec: object) => update(now, pod(spec), old).problems;
    expect(changed({ ...gated, nodeSelector: { a: "b", c: "d" } })).toEqual([]);
    expect(changed({ nodeSelector: { a: "b" } })).toEqual([]);
    expect(changed({ ...gated, nodeSelector: { c: "d" } })).toEqual(["Invalid spec.nodeSelector"]);
    expect(changed({ ...gated, schedulingGates: [{ name: "g" }, { name: "h" }] })).toEqual([
      "Forbidden spec.schedulingGates[1].name",
    ]);
  });

  test("has the quality of service of its own resources, whose requests are those of its containers", () => {
    const { object } = create(
      now,
      pod({ ...one({ resources: { requests: { cpu: "1" } } }), resources: { limits: { cpu: "2", memory: "1Gi" } } }),
    );
    expect(object).toMatchObject({
      spec: { resources: { requests: { cpu: "1", memory: "1Gi" } } },
      status: { qosClass: "Burstable" },
    });
  });
});

describe("pods/resize", () => {
  const path = now.subresources.get("resize");
  const resize = (old: object, next: object) => {
    const before = create(now, pod(old)).hub;
    const merged = path?.merge?.(pod(next), before, now.family.environment) as typeof before;
    return (path?.validate?.(merged, before, now.family.environment) ?? []).map(
      ({ reason, field }) => `${reason} ${field}`,
    );
  };
  const at = (cpu: string) => one({ resources: sized(cpu) });
  const cases = [
    { why: "changes cpu and memory", old: at("1"), next: at("1500m"), expected: [] },
    { why: "keeps the quality of service", old: at("2"), next: at("1"), expected: ["FieldValueInvalid spec"] },
    { why: "ignores other changes", old: at("1"), next: { ...at("1"), activeDeadlineSeconds: 3 }, expected: [] },
    {
      why: "does not remove requests",
      old: at("1"),
      next: one({ resources: { limits: sized("1").limits } }),
      expected: ["FieldValueForbidden spec.containers[0].resources.requests"],
    },
    {
      why: "does not rename containers",
      old: at("1"),
      next: { containers: [{ name: "d", image: "i", resources: sized("1") }] },
      expected: ["FieldValueForbidden spec.containers[0].name"],
    },
    {
      why: "does not change a pod of windows",
      old: { ...at("1"), os: { name: "windows" } },
      next: at("1"),
      expected: ["FieldValueForbidden []"],
    },
  ];
  for (const { why, old, next, expected } of cases) test(why, () => expect(resize(old, next)).toEqual(expected));

  test("changes init containers that end from 1.36 on", () => {
    const withInit = (cpu: string) => ({ ...at("1"), ...init({ resources: sized(cpu) }) });
    const outcomes = (["1.35", "1.36"] as const).map((level) => {
      const kind = bindVersions([Pod], {}, level).version("v1");
      const { environment } = kind.family;
      const before = create(kind, pod(withInit("1"))).hub;
      const path = kind.subresources.get("resize");
      const merged = path?.merge?.(pod(withInit("1500m")), before, environment) as typeof before;
      return path?.validate?.(merged, before, environment)?.map(({ field }) => field);
    });
    expect(outcomes).toEqual([["spec"], []]);
  });

  test("exists at level 1.35 only", () => expect([...early.subresources.keys()]).not.toContain("resize"));
});

describe("the row of a pod with sidecars", () => {
  const { environment } = now.family;
  const spec = {
    initContainers: [
      { name: "s", image: "i", restartPolicy: "Always" },
      { name: "o", image: "i" },
    ],
  };
  const status = (name: string, state: object, more: object = {}) => ({
    ...{ name, image: "i", imageID: "x", ready: false, restartCount: 1, state },
    ...more,
  });
  const running = { running: {} };
  const started = { started: true, ready: true };
  const done = { terminated: { exitCode: 0 } };
  const failing = { waiting: { reason: "CrashLoopBackOff" } };
  const cases = [
    { why: "counts them before they exist", given: {}, row: ["0/2", "Pending", "0"] },
    {
      why: "counts one that is ready while the next init container fails",
      given: { initContainerStatuses: [status("s", running, started), status("o", failing)] },
      row: ["1/2", "Init:CrashLoopBackOff", "2"],
    },
    {
      why: "waits for one that has not started",
      given: { initContainerStatuses: [status("s", running), status("o", failing)] },
      row: ["0/2", "Init:0/2", "1"],
    },
    {
      why: "adds them to the other containers",
      given: {
        phase: "Running",
        initContainerStatuses: [status("s", running, started), status("o", done, { restartCount: 4 })],
        containerStatuses: [status("c", running, { ready: true })],
      },
      row: ["2/2", "Running", "2"],
    },
    {
      why: "keeps the other containers when one fails later",
      given: {
        phase: "Running",
        conditions: [{ type: "Initialized", status: "True" }],
        initContainerStatuses: [status("s", failing, { restartCount: 5 }), status("o", done)],
        containerStatuses: [status("c", running, { ready: true })],
      },
      row: ["1/2", "Init:CrashLoopBackOff", "6"],
    },
  ];
  for (const { why, given, row } of cases) {
    test(why, () => {
      const shown = now.codec.decode({ ...pod(spec), status: { phase: "Pending", ...given } });
      const columns = now.declaration.columns ?? [];
      expect(columns.slice(1, 4).map((column) => column.cell(shown, environment))).toEqual(row);
    });
  }
});
