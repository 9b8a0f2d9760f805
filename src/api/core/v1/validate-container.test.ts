import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../../life.suite.ts";
import { check, checkContainer, container, one, pod, problems, short } from "./pod.suite.ts";
import { Pod } from "./pod.ts";

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
