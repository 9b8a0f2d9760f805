import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import { judge } from "./core.suite.ts";
import { cells, container, make, one, pod, problems, problemsOfStatus, problemsOfUpdate, short } from "./pod.suite.ts";
import { Pod } from "./pod.ts";

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
    const moving = ["i", "i:latest", "host:5000/i", "host:5000/i:latest", "i:latest@sha256:abc"];
    const fixed = ["i:1", "host:5000/i:1", "i@sha256:abc", "i:1@sha256:abc"];
    expect([...moving, ...fixed].map(policy)).toEqual([
      ...moving.map(() => "Always"),
      ...fixed.map(() => "IfNotPresent"),
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

  const classes = [
    { why: "nothing", limits: {}, requests: {}, qos: "BestEffort" },
    { why: "nothing of cpu or memory", limits: { "example.com/gpu": "1" }, requests: {}, qos: "BestEffort" },
    { why: "zero", limits: { cpu: "0" }, requests: { memory: "0" }, qos: "BestEffort" },
    { why: "some", limits: {}, requests: { cpu: "1" }, qos: "Burstable" },
    { why: "one limit", limits: { cpu: "1" }, requests: {}, qos: "Burstable" },
    { why: "less than the limits", limits: { cpu: "1", memory: "1" }, requests: { cpu: "1m" }, qos: "Burstable" },
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

describe("the annotations of a pod", () => {
  const apparmor = "container.apparmor.security.beta.orch.io/";
  const ofPod = "seccomp.security.alpha.orch.io/pod";
  const ofContainer = "container.seccomp.security.alpha.orch.io/c";
  const cases = [
    {
      why: "may name profiles",
      annotations: { [`${apparmor}c`]: "localhost/p", [ofPod]: "runtime/default" },
      expected: [],
    },
    {
      why: "name containers that there are, and profiles that there can be",
      annotations: { [`${apparmor}c`]: "strict", [`${apparmor}d`]: "unconfined" },
      expected: [`Invalid metadata.annotations[${apparmor}c]`, `Invalid metadata.annotations[${apparmor}d]`],
    },
    {
      why: "name files below their folder",
      annotations: { [ofPod]: "strict", [ofContainer]: "localhost/../p" },
      expected: [`Invalid metadata.annotations.${ofContainer}`, `Invalid metadata.annotations.${ofPod}`],
    },
    {
      why: "mirror a pod on a node",
      annotations: { "orch.io/config.mirror": "x" },
      expected: ["Invalid metadata.annotations[orch.io/config.mirror]"],
    },
  ];
  for (const { why, annotations, expected } of cases) {
    test(why, () => {
      const found = short(problems(pod({}, { annotations }))).filter((line) => line.includes("annotations"));
      expect(found).toEqual(expected);
    });
  }

  test("on seccomp become fields, and fields become annotations", () => {
    const fromText = make(pod({}, { annotations: { [ofPod]: "docker/default", [ofContainer]: "localhost/p" } }));
    expect(fromText["spec"]).toMatchObject({
      securityContext: { seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "p" } } }],
    });
    const securityContext = { seccompProfile: { type: "Unconfined" } };
    const fromFields = make(pod({ securityContext, containers: [{ ...container, securityContext }] }));
    expect(fromFields.metadata.annotations).toEqual({ [ofPod]: "unconfined", [ofContainer]: "unconfined" });
  });

  test("on seccomp say what the fields say", () => {
    const securityContext = { seccompProfile: { type: "Localhost", localhostProfile: "p" } };
    const found = (text: string) => short(problems(pod({ securityContext }, { annotations: { [ofPod]: text } })));
    expect(found("localhost/p")).toEqual([]);
    expect(found("localhost/q")).toEqual(["Forbidden spec.securityContext.seccompProfile.localhostProfile"]);
    expect(found("unconfined")).toEqual(["Forbidden spec.securityContext.seccompProfile.type"]);
  });
});

describe("a pod that changes", () => {
  const noExecute = { key: "a", operator: "Exists", effect: "NoExecute" };
  const old = {
    activeDeadlineSeconds: 10,
    tolerations: [
      { ...noExecute, tolerationSeconds: 1 },
      { key: "b", operator: "Exists" },
    ],
  };
  const cases = [
    {
      why: "may get other images",
      spec: { ...old, containers: [{ ...container, image: "j", imagePullPolicy: "Always" }] },
      expected: [],
    },
    {
      why: "keeps some image",
      spec: { ...old, containers: [{ name: "c" }] },
      expected: ["Required spec.containers[0].image"],
    },
    {
      why: "keeps its containers",
      spec: { ...old, containers: [container, { ...container, name: "d" }] },
      expected: ["Forbidden spec.containers"],
    },
    {
      why: "keeps those that came first",
      spec: { ...old, initContainers: [{ ...container, name: "d" }] },
      expected: ["Forbidden spec.initContainers"],
    },
    { why: "may end sooner", spec: { ...old, activeDeadlineSeconds: 5 }, expected: [] },
    {
      why: "does not end later",
      spec: { ...old, activeDeadlineSeconds: 11 },
      expected: ["Invalid spec.activeDeadlineSeconds"],
    },
    { why: "ends", spec: { tolerations: old.tolerations }, expected: ["Invalid spec.activeDeadlineSeconds"] },
    {
      why: "may tolerate more",
      spec: { ...old, tolerations: [...old.tolerations, { key: "c", operator: "Exists" }] },
      expected: [],
    },
    {
      why: "may tolerate for longer",
      spec: { ...old, tolerations: [{ ...noExecute, tolerationSeconds: 9 }, old.tolerations[1]] },
      expected: [],
    },
    {
      why: "tolerates no less",
      spec: { ...old, tolerations: [old.tolerations[0]] },
      expected: ["Forbidden spec.tolerations"],
    },
    { why: "keeps the rest", spec: { ...old, nodeName: "n" }, expected: ["Forbidden spec"] },
    {
      why: "keeps what its containers do",
      spec: { ...old, containers: [{ ...container, command: ["x"] }] },
      expected: ["Forbidden spec"],
    },
    { why: "stays sound", spec: { ...old, hostname: "a.b" }, expected: ["Forbidden spec", "Invalid spec.hostname"] },
  ];
  for (const { why, spec, expected } of cases)
    test(why, () => expect(short(problemsOfUpdate(pod(spec), pod(old)))).toEqual(expected));

  test("does not become a mirror, nor cease to be one", () => {
    const mirror = pod({ nodeName: "n" }, { annotations: { "orch.io/config.mirror": "x" } });
    const plain = pod({ nodeName: "n" });
    const expected = ["Forbidden metadata.annotations[orch.io/config.mirror]"];
    expect([problemsOfUpdate(mirror, plain), problemsOfUpdate(plain, mirror)].map(short)).toEqual([expected, expected]);
  });
});

describe("the status of a pod", () => {
  const ended = (exitCode: number) => ({ terminated: { exitCode } });
  const status = (state: object, kind = "containerStatuses") => ({ [kind]: [{ name: "c", state }] });
  const { kind } = judge(Pod);
  const cases = [
    { why: "may run again", policy: "Always", before: ended(0), expected: [] },
    { why: "may run again after a failure", policy: "OnFailure", before: ended(1), expected: [] },
    {
      why: "does not run again after success",
      policy: "OnFailure",
      before: ended(0),
      expected: ["Forbidden status.containerStatuses[0].state"],
    },
    {
      why: "does not run again ever",
      policy: "Never",
      before: ended(1),
      expected: ["Forbidden status.containerStatuses[0].state"],
    },
  ];
  for (const { why, policy, before, expected } of cases) {
    test(`${why}: ${policy}`, () => {
      const validate = kind.subresources.get("status")?.validate;
      const given = make(pod({ restartPolicy: policy }));
      const errors = validate?.(
        { ...given, status: status({ running: {} }) },
        { ...given, status: status(before) },
        kind.family.environment,
      );
      expect((errors ?? []).map(({ reason, field }) => short([`${reason} ${field}`])[0])).toEqual(expected);
    });
  }

  test("is nominated to a node with a name", () => {
    const next = { ...pod(), status: { nominatedNodeName: "a b" } };
    expect(short(problemsOfStatus(next, pod()))).toEqual(["Invalid status.nominatedNodeName"]);
  });

  const merges = [
    {
      why: "one address is also the first",
      old: {},
      written: { podIP: "10.0.0.1" },
      podIP: "10.0.0.1",
      podIPs: ["10.0.0.1"],
    },
    {
      why: "the first is also the one",
      old: {},
      written: { podIPs: [{ ip: "10.0.0.1" }, { ip: "::2" }] },
      podIP: "10.0.0.1",
      podIPs: ["10.0.0.1", "::2"],
    },
    {
      why: "old clients move the pod",
      old: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      written: { podIP: "10.0.0.2", podIPs: [{ ip: "10.0.0.1" }] },
      podIP: "10.0.0.2",
      podIPs: ["10.0.0.2"],
    },
    {
      why: "new clients move the pod",
      old: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      written: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.2" }] },
      podIP: "10.0.0.2",
      podIPs: ["10.0.0.2"],
    },
  ];
  for (const { why, old, written, podIP, podIPs } of merges) {
    test(why, () => {
      const parent: ApiObject = { ...make(pod()), status: old };
      const next = { ...make(pod({ nodeName: "elsewhere" })), status: written };
      const merged = kind.subresources.get("status")?.merge?.(next, parent, kind.family.environment);
      expect(merged).toMatchObject({ spec: parent["spec"], status: { podIP, podIPs: podIPs.map((ip) => ({ ip })) } });
    });
  }
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

describe("the row of a pod", () => {
  const status = (name: string, state: object, rest: object = {}) => ({
    name,
    ready: false,
    restartCount: 1,
    state,
    ...rest,
  });
  const waiting = (reason: string) => ({ waiting: { reason } });
  const terminated = (rest: object) => ({ terminated: { exitCode: 0, ...rest } });
  const running = { running: {} };
  const deletion = { deletionTimestamp: "2021-06-01T00:00:00Z" };
  const init = { initContainers: [{ name: "a" }, { name: "b" }] };
  const rows = [
    { why: "its phase", given: { status: { phase: "Pending" } }, row: ["0/1", "Pending", 0] },
    {
      why: "a reason over its phase",
      given: { status: { phase: "Failed", reason: "Evicted" } },
      row: ["0/1", "Evicted", 0],
    },
    {
      why: "what is ready",
      given: { status: { phase: "Running", containerStatuses: [status("c", running, { ready: true })] } },
      row: ["1/1", "Running", 1],
    },
    {
      why: "what it waits for",
      given: { status: { phase: "Pending", containerStatuses: [status("c", waiting("ErrImagePull"))] } },
      row: ["0/1", "ErrImagePull", 1],
    },
    {
      why: "how it ended",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3 }))] } },
      row: ["0/1", "ExitCode:3", 1],
    },
    {
      why: "what ended it",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3, signal: 9 }))] } },
      row: ["0/1", "Signal:9", 1],
    },
    {
      why: "that one of two is done",
      given: {
        status: {
          phase: "Running",
          containerStatuses: [status("c", terminated({ reason: "Completed" })), status("d", running, { ready: true })],
        },
      },
      row: ["1/1", "NotReady", 2],
    },
    {
      why: "how far it is before it begins",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", terminated({})), status("b", running)] },
      },
      row: ["0/1", "Init:1/2", 2],
    },
    {
      why: "why it does not begin",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", waiting("CrashLoopBackOff"))] },
      },
      row: ["0/1", "Init:CrashLoopBackOff", 1],
    },
    {
      why: "that it goes",
      given: { metadata: { name: "x", ...deletion }, status: { phase: "Running" } },
      row: ["0/1", "Terminating", 0],
    },
    {
      why: "that nobody knows",
      given: { metadata: { name: "x", ...deletion }, status: { reason: "NodeLost" } },
      row: ["0/1", "Unknown", 0],
    },
  ];
  for (const { why, given, row } of rows)
    test(`shows ${why}`, () => expect(cells({ ...pod(), ...given }).slice(1, 4)).toEqual(row));

  test("shows where it is to those who ask for more", () => {
    expect(cells(pod()).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
    const full = {
      ...pod({ nodeName: "n", readinessGates: [{ conditionType: "A" }, { conditionType: "B" }] }),
      status: { podIP: "10.0.0.1", nominatedNodeName: "m", conditions: [{ type: "A", status: "True" }] },
    };
    expect(cells(full).slice(5)).toEqual(["10.0.0.1", "n", "m", "1/2"]);
  });

  test("says that it is over", () => {
    const { kind } = judge(Pod);
    const over = (phase: string) =>
      kind.declaration
        .rowConditions?.({ ...make(pod()), status: { phase } }, kind.family.environment)
        .map(({ reason }) => reason);
    expect(["Running", "Succeeded", "Failed"].map(over)).toEqual([[], ["Succeeded"], ["Failed"]]);
  });
});
