import { describe, expect, test } from "vitest";
import { judge } from "./core.suite.ts";
import { container, make, one, pod } from "./pod.suite.ts";
import { Pod } from "./pod.ts";
import { PodTemplate } from "./pod-template.ts";

describe("a new pod", () => {
  test("is pending, restarts, and has what it did not say", () => {
    expect(make(pod())).toMatchObject({
      spec: {
        restartPolicy: "Always",
        dnsPolicy: "ClusterFirst",
        schedulerName: "default-scheduler",
        terminationGracePeriodSeconds: 30,
        enableServiceLinks: true,
        securityContext: {},
        containers: [{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" }],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    });
  });

  test("has no annotations for what has a field by now, nor has a template", () => {
    const old = { "pod.beta.orch.io/init-containers": "[]", "pod.alpha.orch.io/init-container-statuses": "[]" };
    expect(make(pod({}, { annotations: { ...old, mine: "1" } })).metadata.annotations).toEqual({ mine: "1" });
    const template = { metadata: { annotations: old }, spec: { containers: [container] } };
    expect(judge(PodTemplate).make({ template })["template"]).not.toHaveProperty("metadata.annotations");
  });

  test("does not say how it is doing", () => {
    expect(make({ ...pod(), status: { phase: "Running", podIP: "10.0.0.1" } })["status"]).toEqual({
      phase: "Pending",
      qosClass: "BestEffort",
    });
  });

  test("pulls images whose name may move", () => {
    const policy = (image: string) => {
      const { containers } = make(one({ image }))["spec"] as { containers: { imagePullPolicy?: string }[] };
      return containers[0]?.imagePullPolicy;
    };
    // The tag decides, as in v1.21, also where a digest says the same more exactly.
    const digest = `sha256:${"0".repeat(64)}`;
    const moving = ["i", "a/b__c/d", "i:latest", "host:5000/i", "Host.example/i:latest", `i:latest@${digest}`];
    const fixed = ["i:1", "host:5000/i:1", `i@${digest}`, `i:1@${digest}`];
    // An invalid image name stays unchanged.
    const wrong = [
      "",
      " i",
      "I",
      "a/B",
      "Host/i",
      "i:",
      "i:a b",
      "i@sha256:abc",
      "a//b",
      "0".repeat(64),
      "a".repeat(256),
    ];
    expect([...moving, ...fixed, ...wrong].map(policy)).toEqual([
      ...moving.map(() => "Always"),
      ...[...fixed, ...wrong].map(() => "IfNotPresent"),
    ]);
  });

  test("asks for what it is limited to, and its probes are patient", () => {
    const resources = { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } };
    const livenessProbe = { httpGet: { port: 80 } };
    expect(make(one({ resources, livenessProbe, ports: [{ containerPort: 80 }] }))["spec"]).toMatchObject({
      containers: [
        {
          resources: { requests: { cpu: "1", memory: "1Gi" } },
          ports: [{ protocol: "TCP" }],
          livenessProbe: {
            httpGet: { path: "/", scheme: "HTTP" },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    });
  });

  test("has its account under both names, and in the host's network the host's ports", () => {
    const spec = {
      serviceAccount: "a",
      hostNetwork: true,
      containers: [{ ...container, ports: [{ containerPort: 80 }] }],
    };
    expect(make(pod(spec))["spec"]).toMatchObject({
      serviceAccountName: "a",
      serviceAccount: "a",
      containers: [{ ports: [{ hostPort: 80 }] }],
    });
  });

  test("that names any mount of /proc, be it none, has the default one", () => {
    const procMount = (given: object) =>
      (make(one({ securityContext: given })) as { spec?: { containers: { securityContext: object }[] } }).spec
        ?.containers[0]?.securityContext;
    expect([{ procMount: "Unmasked" }, { procMount: "" }, {}].map(procMount)).toEqual([
      { procMount: "Default" },
      { procMount: "Default" },
      {},
    ]);
  });

  const classes = [
    { why: "nothing", limits: {}, requests: {}, qos: "BestEffort" },
    { why: "nothing of cpu or memory", limits: { "example.com/gpu": "1" }, requests: {}, qos: "BestEffort" },
    { why: "zero", limits: { cpu: "0" }, requests: { memory: "0" }, qos: "BestEffort" },
    { why: "some", limits: {}, requests: { cpu: "1" }, qos: "Burstable" },
    { why: "one limit", limits: { cpu: "1" }, requests: {}, qos: "Burstable" },
    { why: "less than the limits", limits: { cpu: "1", memory: "1" }, requests: { cpu: "1m" }, qos: "Burstable" },
    {
      why: "none of a limit",
      limits: { cpu: "1", memory: "1" },
      requests: { cpu: "0", memory: "1" },
      qos: "Burstable",
    },
    { why: "its limits", limits: { cpu: "1", memory: "1" }, requests: {}, qos: "Guaranteed" },
    {
      why: "its limits, spelled otherwise",
      limits: { cpu: "1", memory: "1Ki" },
      requests: { cpu: "1000m", memory: "1024" },
      qos: "Guaranteed",
    },
  ];
  for (const { why, limits, requests, qos } of classes) {
    test(`that asks for ${why} is ${qos}`, () =>
      expect(make(one({ resources: { limits, requests } }))["status"]).toMatchObject({ qosClass: qos }));
  }

  test("is guaranteed when all its containers are", () => {
    const resources = { limits: { cpu: "1", memory: "1" } };
    const spec = { containers: [{ ...container, resources }], initContainers: [{ ...container, name: "d" }] };
    expect(make(pod(spec))["status"]).toMatchObject({ qosClass: "Burstable" });
  });
});

describe("the end of a pod", () => {
  const { kind } = judge(Pod);
  const grace = (spec: object, phase: string, requested?: number) =>
    kind.life.gracefulDeletion?.graceSeconds(
      { ...make(pod(spec)), status: { phase } },
      requested,
      kind.family.environment,
    );

  test("takes its time on a node, and none elsewhere", () => {
    expect(grace({}, "Pending", 60)).toBe(0);
    expect(grace({ nodeName: "n" }, "Succeeded", 60)).toBe(0);
    expect(grace({ nodeName: "n" }, "Failed")).toBe(0);
    expect(grace({ nodeName: "n" }, "Running")).toBe(30);
    expect(grace({ nodeName: "n" }, "Running", 5)).toBe(5);
    expect(grace({ nodeName: "n" }, "Running", -5)).toBe(1);
  });
});
