import { describe, expect, test } from "vitest";
import { inspect } from "./core.suite.ts";
import { container, make, one, pod } from "./pod.suite.ts";
import { Pod } from "./pod.ts";
import { PodTemplate } from "./pod-template.ts";

describe("a new pod", () => {
  test("is Pending and gets defaults for omitted fields", () => {
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

  test("loses the annotations for which there are fields now, and so does a template", () => {
    const old = { "pod.beta.orch.io/init-containers": "[]", "pod.alpha.orch.io/init-container-statuses": "[]" };
    expect(make(pod({}, { annotations: { ...old, mine: "1" } })).metadata.annotations).toEqual({ mine: "1" });
    const template = { metadata: { annotations: old }, spec: { containers: [container] } };
    expect(inspect(PodTemplate).make({ template })["template"]).not.toHaveProperty("metadata.annotations");
  });

  test("must not set its own status", () => {
    expect(make({ ...pod(), status: { phase: "Running", podIP: "10.0.0.1" } })["status"]).toEqual({
      phase: "Pending",
      qosClass: "BestEffort",
    });
  });

  test("pulls images always if their tag is latest or missing", () => {
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

  test("gets requests from its limits, and defaults for its probes", () => {
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

  test("has its account in both fields, and host ports in the host network", () => {
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

  test("gets the default procMount if it sets any value, even an empty one", () => {
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
    { why: "neither cpu nor memory", limits: { "example.com/gpu": "1" }, requests: {}, qos: "BestEffort" },
    { why: "zero", limits: { cpu: "0" }, requests: { memory: "0" }, qos: "BestEffort" },
    { why: "some", limits: {}, requests: { cpu: "1" }, qos: "Burstable" },
    { why: "one limit", limits: { cpu: "1" }, requests: {}, qos: "Burstable" },
    { why: "less than its limits", limits: { cpu: "1", memory: "1" }, requests: { cpu: "1m" }, qos: "Burstable" },
    {
      why: "zero of a limited resource",
      limits: { cpu: "1", memory: "1" },
      requests: { cpu: "0", memory: "1" },
      qos: "Burstable",
    },
    { why: "its limits", limits: { cpu: "1", memory: "1" }, requests: {}, qos: "Guaranteed" },
    {
      why: "its limits in another notation",
      limits: { cpu: "1", memory: "1Ki" },
      requests: { cpu: "1000m", memory: "1024" },
      qos: "Guaranteed",
    },
  ];
  for (const { why, limits, requests, qos } of classes) {
    test(`that requests ${why} is ${qos}`, () =>
      expect(make(one({ resources: { limits, requests } }))["status"]).toMatchObject({ qosClass: qos }));
  }

  test("is Guaranteed only if all its containers are", () => {
    const resources = { limits: { cpu: "1", memory: "1" } };
    const spec = { containers: [{ ...container, resources }], initContainers: [{ ...container, name: "d" }] };
    expect(make(pod(spec))["status"]).toMatchObject({ qosClass: "Burstable" });
  });
});

describe("the grace period of a pod", () => {
  const { kind } = inspect(Pod);
  const grace = (spec: object, phase: string, requested?: number) =>
    kind.strategy.gracefulDeletion?.graceSeconds(
      { ...make(pod(spec)), status: { phase } },
      requested,
      kind.family.environment,
    );

  test("is zero for a pod that is not running on a node", () => {
    expect(grace({}, "Pending", 60)).toBe(0);
    expect(grace({ nodeName: "n" }, "Succeeded", 60)).toBe(0);
    expect(grace({ nodeName: "n" }, "Failed")).toBe(0);
    expect(grace({ nodeName: "n" }, "Running")).toBe(30);
    expect(grace({ nodeName: "n" }, "Running", 5)).toBe(5);
    expect(grace({ nodeName: "n" }, "Running", -5)).toBe(-5);
  });
});
