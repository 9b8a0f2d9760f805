import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../../machinery/schema/kind.ts";
import { bindVersions, create } from "../../life.suite.ts";
import { judge } from "./core.suite.ts";
import { Pod } from "./pod.ts";

const { make, problems, problemsOfUpdate, problemsOfStatus, cells } = judge(Pod);
const container = { name: "c", image: "i" };
const pod = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "x", ...metadata },
  spec: { containers: [container], ...spec },
});
const one = (given: object) => pod({ containers: [{ ...container, ...given }] });
const short = (lines: readonly string[]) => lines.map((line) => line.replace("FieldValue", ""));

interface Row {
  readonly why: string;
  readonly spec: object;
  /** Without `spec.`, in which all of them are. */
  readonly expected: readonly string[];
}
function check(rows: readonly Row[]): void {
  for (const { why, spec, expected } of rows) {
    test(why, () => {
      const found = short(problems(pod(spec))).map((line) => line.replace(" spec.", " "));
      expect(found).toEqual(expected);
    });
  }
}
/** Rows about the one container of a pod. */
function checkContainer(rows: readonly { why: string; given: object; expected: readonly string[]; spec?: object }[]) {
  check(
    rows.map(({ why, given, expected, spec }) => ({
      why,
      spec: { ...spec, containers: [{ ...container, ...given }] },
      expected: expected.map((line) => line.replace(" ", " containers[0].")),
    })),
  );
}

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
    const moving = ["i", "i:latest", "host:5000/i", "host:5000/i:latest"];
    const fixed = ["i:1", "host:5000/i:1", "i@sha256:abc", "i:latest@sha256:abc"];
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

describe("the containers of a pod", () => {
  check([
    { why: "are there", spec: { containers: [] }, expected: ["Required containers"] },
    {
      why: "have names and images",
      spec: { containers: [{}, { name: "A.b", image: " i" }] },
      expected: [
        "Invalid containers[1].image",
        "Invalid containers[1].name",
        "Required containers[0].image",
        "Required containers[0].name",
      ],
    },
    {
      why: "have names of their own",
      spec: { containers: [container, container], initContainers: [container] },
      expected: ["Duplicate containers[1].name", "Duplicate initContainers[0].name"],
    },
    {
      why: "that come first are not watched",
      spec: { initContainers: [{ ...container, name: "d", livenessProbe: { tcpSocket: { port: 1 } }, lifecycle: {} }] },
      expected: ["Invalid initContainers[0].lifecycle", "Invalid initContainers[0].livenessProbe"],
    },
    {
      why: "take each port of the host once",
      spec: {
        containers: [
          { ...container, ports: [{ containerPort: 1, hostPort: 9 }] },
          {
            ...container,
            name: "d",
            ports: [
              { containerPort: 1, hostPort: 9 },
              { containerPort: 2, hostPort: 9, protocol: "UDP" },
            ],
          },
        ],
      },
      expected: ["Duplicate containers[1].ports[0].hostPort"],
    },
    {
      why: "that look around are left out while there are no such",
      spec: { ephemeralContainers: [{ name: "e", image: "i" }] },
      expected: [],
    },
  ]);

  test("cannot be there to look around from the start, where there are such", () => {
    const gated = bindVersions([Pod], { EphemeralContainers: true }).version("v1");
    expect(create(gated, pod({ ephemeralContainers: [{ name: "e", image: "i" }] })).problems).toEqual([
      "Forbidden spec.ephemeralContainers",
    ]);
  });
});

describe("a container", () => {
  const probe = { tcpSocket: { port: 1 } };
  checkContainer([
    {
      why: "has policies that there are",
      given: { imagePullPolicy: "Maybe", terminationMessagePolicy: "Shout" },
      expected: ["NotSupported imagePullPolicy", "NotSupported terminationMessagePolicy"],
    },
    {
      why: "has ports that there are",
      given: {
        ports: [
          { containerPort: 0 },
          { containerPort: 65536, hostPort: -1, protocol: "ICMP", hostIP: "here" },
          { containerPort: 1, name: "web" },
          { containerPort: 2, name: "web" },
          { containerPort: 3, name: "a--b" },
        ],
      },
      expected: [
        "Duplicate ports[3].name",
        "Invalid ports[1].containerPort",
        "Invalid ports[1].hostIP",
        "Invalid ports[1].hostPort",
        "Invalid ports[4].name",
        "NotSupported ports[1].protocol",
        "Required ports[0].containerPort",
      ],
    },
    {
      why: "has the ports of the host in the network of the host",
      spec: { hostNetwork: true },
      given: { ports: [{ containerPort: 1, hostPort: 2 }] },
      expected: ["Invalid ports[0].containerPort"],
    },
    {
      why: "is asked in one way",
      given: { livenessProbe: {}, readinessProbe: { ...probe, exec: { command: ["x"] } }, startupProbe: { exec: {} } },
      expected: ["Forbidden readinessProbe.tcpSocket", "Required livenessProbe", "Required startupProbe.exec.command"],
    },
    {
      why: "is asked at times and places that there are",
      given: {
        livenessProbe: { ...probe, successThreshold: 2, periodSeconds: -1 },
        readinessProbe: { ...probe, successThreshold: 2 },
        startupProbe: { httpGet: { port: "Not A Port", scheme: "GOPHER", httpHeaders: [{ name: "a b", value: "" }] } },
      },
      expected: [
        "Invalid livenessProbe.periodSeconds",
        "Invalid livenessProbe.successThreshold",
        "Invalid startupProbe.httpGet.httpHeaders",
        "Invalid startupProbe.httpGet.port",
        "NotSupported startupProbe.httpGet.scheme",
      ],
    },
    {
      why: "does one thing when it starts and stops",
      given: { lifecycle: { postStart: {}, preStop: { exec: { command: ["x"] } } } },
      expected: ["Required lifecycle.postStart"],
    },
  ]);
});

describe("the environment of a container", () => {
  const from = (valueFrom: object, rest: object = {}) => ({ env: [{ name: "A", valueFrom, ...rest }] });
  const field = (fieldPath: string) => from({ fieldRef: { fieldPath } });
  const key = { name: "m", key: "k" };
  checkContainer([
    {
      why: "has names",
      given: { env: [{ name: "" }, { name: "1A" }, { name: "a.b-c_D" }] },
      expected: ["Invalid env[1].name", "Required env[0].name"],
    },
    {
      why: "has a value or a source",
      given: from({ secretKeyRef: key }, { value: "v" }),
      expected: ["Invalid env[0].valueFrom"],
    },
    { why: "has a source", given: from({}), expected: ["Invalid env[0].valueFrom"] },
    {
      why: "has one source",
      given: from({ secretKeyRef: key, configMapKeyRef: key }),
      expected: ["Invalid env[0].valueFrom"],
    },
    {
      why: "is from keys with names",
      given: from({ secretKeyRef: { name: "A", key: "" } }),
      expected: ["Invalid env[0].valueFrom.secretKeyRef.name", "Required env[0].valueFrom.secretKeyRef.key"],
    },
    { why: "may be from the pod", given: field("status.podIP"), expected: [] },
    { why: "may be from a label", given: field("metadata.labels['a/b']"), expected: [] },
    {
      why: "is from a label that there can be",
      given: field("metadata.labels['a b']"),
      expected: ["Invalid env[0].valueFrom.fieldRef"],
    },
    {
      why: "is not all labels",
      given: field("metadata.labels"),
      expected: ["NotSupported env[0].valueFrom.fieldRef.fieldPath"],
    },
    {
      why: "is not from anywhere",
      given: field("spec.secrets"),
      expected: ["Invalid env[0].valueFrom.fieldRef.fieldPath"],
    },
    { why: "is from some field", given: field(""), expected: ["Required env[0].valueFrom.fieldRef.fieldPath"] },
    {
      why: "may be an amount",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } }),
      expected: [],
    },
    {
      why: "is an amount in a unit",
      given: from({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
      expected: ["Invalid env[0].valueFrom.resourceFieldRef.divisor"],
    },
    {
      why: "is an amount of what there is",
      given: from({ resourceFieldRef: { resource: "limits.time" } }),
      expected: ["NotSupported env[0].valueFrom.resourceFieldRef.resource"],
    },
    {
      why: "may be whole maps, each one",
      given: {
        envFrom: [{}, { configMapRef: { name: "m" }, secretRef: { name: "s" } }, { prefix: "1", secretRef: {} }],
      },
      expected: ["Invalid envFrom", "Invalid envFrom[2].prefix", "Required envFrom[2].secretRef.name"],
    },
  ]);
});

describe("the mounts of a container", () => {
  const spec = {
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "p", persistentVolumeClaim: { claimName: "p" } },
    ],
  };
  const mounts = (...volumeMounts: object[]) => ({ volumeMounts });
  const devices = (...volumeDevices: object[]) => ({ volumeDevices });
  checkContainer([
    {
      why: "are of volumes, at places",
      spec,
      given: mounts({ name: "", mountPath: "" }, { name: "w", mountPath: "/a" }, { name: "v", mountPath: "/a" }),
      expected: [
        "Invalid volumeMounts[2].mountPath",
        "NotFound volumeMounts[1].name",
        "Required volumeMounts[0].mountPath",
        "Required volumeMounts[0].name",
      ],
    },
    {
      why: "stay in their volume",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "/a" }, { name: "v", mountPath: "/b", subPath: "a/../.." }),
      expected: ["Invalid volumeMounts.subPath"],
    },
    {
      why: "have one path below",
      spec,
      given: mounts({ name: "v", mountPath: "/a", subPath: "a", subPathExpr: "../b" }),
      expected: ["Invalid volumeMounts.subPathExpr", "Invalid volumeMounts[0].subPathExpr"],
    },
    {
      why: "spread in ways that there are, to the host for the privileged only",
      spec,
      given: mounts(
        { name: "v", mountPath: "/a", mountPropagation: "Everywhere" },
        { name: "v", mountPath: "/b", mountPropagation: "Bidirectional" },
      ),
      expected: ["Forbidden volumeMounts.mountPropagation", "NotSupported volumeMounts.mountPropagation"],
    },
    {
      why: "that are devices are of claims, at places below",
      spec,
      given: devices(
        { name: "v", devicePath: "/a/../b" },
        { name: "w", devicePath: "/c" },
        { name: "p", devicePath: "" },
      ),
      expected: [
        "Invalid volumeDevices[0].devicePath",
        "Invalid volumeDevices[0].name",
        "NotFound volumeDevices[1].name",
        "Required volumeDevices[2].devicePath",
      ],
    },
    {
      why: "are files or devices",
      spec,
      given: { ...mounts({ name: "p", mountPath: "/a" }), ...devices({ name: "p", devicePath: "/a" }) },
      expected: ["Invalid volumeMounts[0].mountPath", "Invalid volumeMounts[0].name"],
    },
  ]);
});

describe("the resources of a container", () => {
  const resources = (limits: object, requests: object = {}) => ({ resources: { limits, requests } });
  checkContainer([
    { why: "may be of others, whole", given: resources({ "example.com/gpu": "2" }), expected: [] },
    {
      why: "are what there is",
      given: resources({ time: "1", pods: "1", "a b": "1" }),
      expected: ["Invalid resources.limits[a b]", "Invalid resources.limits[pods]", "Invalid resources.limits[time]"]
        .flatMap((line) => [line, line.replace("limits", "requests")])
        .sort(),
    },
    {
      why: "are not owed",
      given: resources({ cpu: "1" }, { memory: "-1" }),
      expected: ["Invalid resources.requests[memory]"],
    },
    {
      why: "are not asked for beyond the limit",
      given: resources({ cpu: "1" }, { cpu: "1001m" }),
      expected: ["Invalid resources.requests"],
    },
    {
      why: "of others come whole",
      given: resources({ "example.com/gpu": "500m" }),
      expected: ["Invalid resources.limits[example.com/gpu]", "Invalid resources.requests[example.com/gpu]"],
    },
    {
      why: "of others are not promised twice",
      given: resources({ "example.com/gpu": "2" }, { "example.com/gpu": "1" }),
      expected: ["Invalid resources.requests"],
    },
    {
      why: "of others have a limit",
      given: resources({}, { "example.com/gpu": "1" }),
      expected: ["Required resources.limits"],
    },
    {
      why: "are more than huge pages",
      given: resources({ "hugepages-2Mi": "2Mi" }),
      expected: ["Forbidden resources"],
    },
  ]);
});

describe("the security of a container", () => {
  const context = (securityContext: object) => ({ securityContext });
  checkContainer([
    {
      why: "has users and groups that there are",
      given: context({ runAsUser: -1, runAsGroup: 2 ** 31 }),
      expected: ["Invalid securityContext.runAsGroup", "Invalid securityContext.runAsUser"],
    },
    {
      why: "does not forbid what it allows",
      given: context({ allowPrivilegeEscalation: false, privileged: true }),
      expected: ["Invalid securityContext"],
    },
    {
      why: "does not forbid what it adds",
      given: context({ allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } }),
      expected: ["Invalid securityContext"],
    },
    {
      why: "has a profile that there is",
      given: context({ seccompProfile: { type: "Strict" } }),
      expected: ["NotSupported securityContext.seccompProfile.type"],
    },
    {
      why: "has a file for profiles of the host",
      given: context({ seccompProfile: { type: "Localhost" } }),
      expected: ["Required securityContext.seccompProfile.localhostProfile"],
    },
    {
      why: "has a user of Windows that there can be",
      given: context({
        windowsOptions: { runAsUserName: "a\\b\\c", gmsaCredentialSpec: "", gmsaCredentialSpecName: "A" },
      }),
      expected: [
        "Invalid securityContext.windowsOptions.gmsaCredentialSpec",
        "Invalid securityContext.windowsOptions.gmsaCredentialSpecName",
        "Invalid securityContext.windowsOptions.runAsUserName",
      ],
    },
  ]);

  test("has a profile below its folder, in the annotation that is made of it as well", () => {
    for (const localhostProfile of ["../p", "/p"]) {
      const securityContext = { seccompProfile: { type: "Localhost", localhostProfile } };
      expect(short(problems(one({ securityContext })))).toEqual([
        "Invalid metadata.annotations.container.seccomp.security.alpha.orch.io/c",
        "Invalid spec.containers[0].securityContext.seccompProfile.localhostProfile",
      ]);
    }
  });

  test("is not privileged where nobody may be", () => {
    const strict = bindVersions([Pod]).version("v1");
    expect(create(strict, one({ securityContext: { privileged: true } })).problems).toEqual([
      "Forbidden spec.containers[0].securityContext.privileged",
    ]);
    expect(problems(one({ securityContext: { privileged: true } }))).toEqual([]);
  });
});

describe("the security of a pod", () => {
  check([
    {
      why: "has users and groups that there are",
      spec: { securityContext: { fsGroup: -1, runAsUser: -1, runAsGroup: -1, supplementalGroups: [1, -1] } },
      expected: ["fsGroup", "runAsGroup", "runAsUser", "supplementalGroups[1]"].map(
        (f) => `Invalid securityContext.${f}`,
      ),
    },
    {
      why: "shares processes with the host or within",
      spec: { shareProcessNamespace: true, hostPID: true },
      expected: ["Invalid securityContext.shareProcessNamespace"],
    },
    {
      why: "sets the kernel once",
      spec: {
        securityContext: {
          sysctls: [
            { name: "", value: "" },
            { name: "a/b", value: "" },
            { name: "a.b", value: "" },
            { name: "a.b", value: "" },
          ],
          fsGroupChangePolicy: "Never",
        },
      },
      expected: [
        "Duplicate securityContext.sysctls[3].name",
        "Invalid securityContext.sysctls[1].name",
        "NotSupported securityContext.fsGroupChangePolicy",
        "Required securityContext.sysctls[0].name",
      ],
    },
  ]);
});

describe("the volumes of a pod", () => {
  const volumes = (...sources: object[]) => ({ volumes: sources.map((source, i) => ({ name: `v${i}`, ...source })) });
  const at = "volumes[0]";
  const items = [
    { key: "k", path: "../x" },
    { key: "a/b", path: "/x" },
    { key: "", path: "", mode: 0o1000 },
  ];
  const file = (rest: object) => ({ downwardAPI: { items: [{ path: "f", ...rest }] } });
  const projected = (...sources: object[]) => volumes({ projected: { sources } });
  check([
    { why: "are empty unless they say otherwise", spec: volumes({}), expected: [] },
    {
      why: "have names of their own",
      spec: { volumes: [{ name: "" }, { name: "A" }, { name: "a" }, { name: "a" }] },
      expected: ["Duplicate volumes[3].name", "Invalid volumes[1].name", "Required volumes[0].name"],
    },
    {
      why: "are of one kind",
      spec: volumes({ emptyDir: {}, hostPath: { path: "/a" } }),
      expected: [expect.stringMatching(/^Forbidden volumes\[0\]\.(emptyDir|hostPath)$/)],
    },
    {
      why: "have room",
      spec: volumes({ emptyDir: { sizeLimit: "-1" } }),
      expected: [`Forbidden ${at}.emptyDir.sizeLimit`],
    },
    {
      why: "of the host do not climb, and are of a type",
      spec: volumes({ hostPath: { path: "/a/../b", type: "Door" } }, { hostPath: { path: "" } }),
      expected: [
        `Invalid ${at}.hostPath.path`,
        `NotSupported ${at}.hostPath.type`,
        "Required volumes[1].hostPath.path",
      ],
    },
    {
      why: "of secrets are files below them",
      spec: volumes({ secret: { defaultMode: -1, items } }),
      expected: [
        `Invalid ${at}.secret.defaultMode`,
        `Invalid ${at}.secret.items[0].path`,
        `Invalid ${at}.secret.items[1].key`,
        `Invalid ${at}.secret.items[1].path`,
        `Invalid ${at}.secret.items[2].mode`,
        `Required ${at}.secret.items[2].key`,
        `Required ${at}.secret.items[2].path`,
        `Required ${at}.secret.secretName`,
      ],
    },
    { why: "of config maps name them", spec: volumes({ configMap: {} }), expected: [`Required ${at}.configMap.name`] },
    {
      why: "of claims name them",
      spec: volumes({ persistentVolumeClaim: { claimName: "" } }),
      expected: [`Required ${at}.persistentVolumeClaim.claimName`],
    },
    {
      why: "of repositories stay below",
      spec: volumes({ gitRepo: { repository: "", directory: "../a" } }),
      expected: [`Invalid ${at}.gitRepo.directory`, `Required ${at}.gitRepo.repository`],
    },
    {
      why: "of the pod may be its labels",
      spec: volumes(file({ fieldRef: { fieldPath: "metadata.labels" } })),
      expected: [],
    },
    { why: "of the pod say what of it", spec: volumes(file({})), expected: [`Required ${at}.downwardAPI`] },
    {
      why: "of the pod say of which container",
      spec: volumes(file({ resourceFieldRef: { resource: "limits.cpu" } })),
      expected: [`Required ${at}.downwardAPI.resourceFieldRef.containerName`],
    },
    {
      why: "of several sources have each file once",
      spec: projected(
        { secret: { name: "s", items: [{ key: "k", path: "f" }] } },
        { configMap: { name: "m", items: [{ key: "k", path: "f" }] } },
      ),
      expected: [`Invalid ${at}.projected`],
    },
    {
      why: "of tokens have a file, and live ten minutes",
      spec: projected({ serviceAccountToken: { path: "", expirationSeconds: 599 } }),
      expected: [
        `Invalid ${at}.projected.sources[0].serviceAccountToken.expirationSeconds`,
        `Required ${at}.projected.path`,
      ],
    },
    {
      why: "of servers are absolute",
      spec: volumes({ nfs: { server: "", path: "a" } }),
      expected: [`Invalid ${at}.nfs.path`, `Required ${at}.nfs.server`],
    },
  ]);
});

describe("where and how a pod runs", () => {
  const node = (requiredDuringSchedulingIgnoredDuringExecution: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } },
  });
  const required = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const term = `${required}.nodeSelectorTerms[0]`;
  const spread = (rest: object) => ({ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", ...rest });
  check([
    {
      why: "is by policies that there are",
      spec: { restartPolicy: "Twice", dnsPolicy: "Mine", preemptionPolicy: "Polite" },
      expected: ["NotSupported dnsPolicy", "NotSupported preemptionPolicy", "NotSupported restartPolicy"],
    },
    {
      why: "is under names that there can be",
      spec: {
        nodeName: "A",
        serviceAccountName: "A",
        hostname: "a.b",
        subdomain: "a.b",
        priorityClassName: "A",
        runtimeClassName: "A",
      },
      expected: [
        "hostname",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
        "serviceAccountName",
        "subdomain",
      ].map((f) => `Invalid ${f}`),
    },
    { why: "is for some time", spec: { activeDeadlineSeconds: 0 }, expected: ["Invalid activeDeadlineSeconds"] },
    { why: "is by labels of nodes", spec: { nodeSelector: { "a b": "c" } }, expected: ["Invalid nodeSelector"] },
    {
      why: "tolerates taints that there are",
      spec: {
        tolerations: [
          { operator: "Equal" },
          { key: "a", operator: "Exists", value: "v" },
          { key: "a", operator: "Like" },
          { key: "a", effect: "NoSchedule", tolerationSeconds: 1 },
          { key: "a", effect: "NoFun" },
        ],
      },
      expected: [
        "Invalid tolerations[0].operator",
        "Invalid tolerations[1].operator",
        "Invalid tolerations[3].effect",
        "NotSupported tolerations[2].operator",
        "NotSupported tolerations[4].effect",
      ],
    },
    {
      why: "is on some nodes",
      spec: node({ nodeSelectorTerms: [] }),
      expected: [`Required ${required}.nodeSelectorTerms`],
    },
    {
      why: "is on nodes that can be told",
      spec: node({
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "a", operator: "In" },
              { key: "a", operator: "Exists", values: ["v"] },
              { key: "a", operator: "Gt", values: ["1", "2"] },
              { key: "a b", operator: "Near" },
            ],
            matchFields: [
              { key: "metadata.name", operator: "In", values: ["A"] },
              { key: "spec", operator: "Exists" },
            ],
          },
        ],
      }),
      expected: [
        `Forbidden ${term}.matchExpressions[1].values`,
        `Invalid ${term}.matchExpressions[3].key`,
        `Invalid ${term}.matchExpressions[3].operator`,
        `Invalid ${term}.matchFields[0].values[0]`,
        `Invalid ${term}.matchFields[1].key`,
        `Invalid ${term}.matchFields[1].operator`,
        `Required ${term}.matchExpressions[0].values`,
        `Required ${term}.matchExpressions[2].values`,
      ],
    },
    {
      why: "is away from others by some weight and some key",
      spec: {
        affinity: {
          podAntiAffinity: { [preferred]: [{ weight: 101, podAffinityTerm: { topologyKey: "", namespaces: ["A"] } }] },
        },
      },
      expected: [
        `Invalid affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.namespace`,
        `Invalid affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey`,
        `Invalid affinity.podAntiAffinity.${preferred}[0].weight`,
        `Required affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.topologyKey`,
      ],
    },
    {
      why: "spreads by keys, each once",
      spec: {
        topologySpreadConstraints: [
          spread({}),
          spread({}),
          spread({ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Cry" }),
        ],
      },
      expected: [
        "Duplicate topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}",
        "Invalid topologySpreadConstraints[2].maxSkew",
        "NotSupported topologySpreadConstraints[2].whenUnsatisfiable",
        "Required topologySpreadConstraints[2].topologyKey",
      ],
    },
    {
      why: "is ready by conditions with names",
      spec: { readinessGates: [{ conditionType: "a b" }] },
      expected: ["Invalid readinessGates[0].conditionType"],
    },
    { why: "finds names by itself when it says so", spec: { dnsPolicy: "None" }, expected: ["Required dnsConfig"] },
    {
      why: "finds names somewhere",
      spec: { dnsPolicy: "None", dnsConfig: {} },
      expected: ["Required dnsConfig.nameservers"],
    },
    {
      why: "finds names at addresses, in domains",
      spec: { dnsConfig: { nameservers: ["here"], searches: ["a.b.", "A"], options: [{ value: "v" }] } },
      expected: ["Invalid dnsConfig.nameservers[0]", "Invalid dnsConfig.searches[1]", "Required dnsConfig.options[0]"],
    },
    {
      why: "finds names at so many addresses, in so many domains",
      spec: { dnsConfig: { nameservers: Array(4).fill("10.0.0.1"), searches: Array(7).fill("a") } },
      expected: ["Invalid dnsConfig.nameservers", "Invalid dnsConfig.searches"],
    },
    {
      why: "finds names in domains that are not too long",
      spec: { dnsConfig: { searches: ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(63), "e"] } },
      expected: ["Invalid dnsConfig.searches"],
    },
    {
      why: "has other names for addresses",
      spec: { hostAliases: [{ ip: "here", hostnames: ["A"] }] },
      expected: ["Invalid hostAliases[0].hostnames", "Invalid hostAliases[0].ip"],
    },
    {
      why: "costs what there is",
      spec: { overhead: { pods: "1", cpu: "-1" } },
      expected: ["Invalid overhead[cpu]", "Invalid overhead[pods]"],
    },
  ]);
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
