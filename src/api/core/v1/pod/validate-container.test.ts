import { describe, expect, test } from "vitest";
import { liveCreate } from "../../../../registry/write.suite.ts";
import { bindVersions, create } from "../../../life.suite.ts";
import { check, checkContainer, container, one, pod, problems, short } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

describe("the containers of a pod", () => {
  check([
    { why: "are required", spec: { containers: [] }, expected: ["Required containers"] },
    {
      why: "must have names and images",
      spec: { containers: [{}, { name: "A.b", image: " i" }] },
      expected: [
        "Invalid containers[1].image",
        "Invalid containers[1].name",
        "Required containers[0].image",
        "Required containers[0].name",
      ],
    },
    {
      why: "must have unique names",
      spec: { containers: [container, container], initContainers: [container] },
      expected: ["Duplicate containers[1].name", "Duplicate initContainers[0].name"],
    },
    {
      why: "that are init containers must not have probes, whose fields are validated as well",
      spec: { initContainers: [{ ...container, name: "d", livenessProbe: { tcpSocket: { port: 0 } }, lifecycle: {} }] },
      expected: [
        "Invalid initContainers[0].lifecycle",
        "Invalid initContainers[0].livenessProbe",
        "Invalid initContainers[0].livenessProbe.tcpSocket.port",
      ],
    },
    {
      why: "must not share a host port",
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
      why: "that are ephemeral are dropped while the gate is off",
      spec: { ephemeralContainers: [{ name: "e", image: "i" }] },
      expected: [],
    },
  ]);

  test("that are ephemeral are refused in a new pod if the gate is on", () => {
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
      why: "must have known policies",
      given: { imagePullPolicy: "Maybe", terminationMessagePolicy: "Shout" },
      expected: ["Invalid terminationMessagePolicy", "NotSupported imagePullPolicy"],
    },
    {
      why: "must have valid ports",
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
        "Invalid ports[1].hostPort",
        "Invalid ports[4].name",
        "NotSupported ports[1].protocol",
        "Required ports[0].containerPort",
      ],
    },
    {
      why: "in the host network must use equal container and host ports",
      spec: { hostNetwork: true },
      given: { ports: [{ containerPort: 1, hostPort: 2 }] },
      expected: ["Invalid ports[0].containerPort"],
    },
    {
      why: "must have exactly one handler in each probe",
      given: { livenessProbe: {}, readinessProbe: { ...probe, exec: { command: ["x"] } }, startupProbe: { exec: {} } },
      expected: ["Forbidden readinessProbe.tcpSocket", "Required livenessProbe", "Required startupProbe.exec.command"],
    },
    {
      why: "must have valid times and ports in probes",
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
      why: "may have a grace period only in probes that stop it",
      given: {
        livenessProbe: { ...probe, terminationGracePeriodSeconds: 5 },
        readinessProbe: { ...probe, terminationGracePeriodSeconds: 5 },
      },
      expected: ["Invalid readinessProbe.terminationGracePeriodSeconds"],
    },
    {
      why: "must have one handler in each lifecycle hook",
      given: { lifecycle: { postStart: {}, preStop: { exec: { command: ["x"] } } } },
      expected: ["Required lifecycle.postStart"],
    },
  ]);
});

describe("the resources of a container", () => {
  const resources = (limits: object, requests: object = {}) => ({ resources: { limits, requests } });
  checkContainer([
    { why: "may be whole extended resources", given: resources({ "example.com/gpu": "2" }), expected: [] },
    {
      why: "must be known resources",
      given: resources({ time: "1", pods: "1", "a b": "1" }),
      expected: ["Invalid resources.limits[a b]", "Invalid resources.limits[pods]", "Invalid resources.limits[time]"]
        .flatMap((line) => [line, line.replace("limits", "requests")])
        .sort(),
    },
    {
      why: "must not be negative",
      given: resources({ cpu: "1" }, { memory: "-1" }),
      expected: ["Invalid resources.requests[memory]"],
    },
    {
      why: "must not be requested beyond the limit",
      given: resources({ cpu: "1" }, { cpu: "1001m" }),
      expected: ["Invalid resources.requests"],
    },
    {
      why: "must be whole numbers for extended resources",
      given: resources({ "example.com/gpu": "500m" }),
      expected: ["Invalid resources.limits[example.com/gpu]", "Invalid resources.requests[example.com/gpu]"],
    },
    {
      why: "must have equal requests and limits for extended resources",
      given: resources({ "example.com/gpu": "2" }, { "example.com/gpu": "1" }),
      expected: ["Invalid resources.requests"],
    },
    {
      why: "must have a limit for extended resources",
      given: resources({}, { "example.com/gpu": "1" }),
      expected: ["Required resources.limits"],
    },
    {
      why: "must include cpu or memory besides huge pages",
      given: resources({ "hugepages-2Mi": "2Mi" }),
      expected: ["Forbidden resources"],
    },
  ]);
});

describe("the security of a container", () => {
  const context = (securityContext: object) => ({ securityContext });
  checkContainer([
    {
      why: "must have valid users and groups",
      given: context({ runAsUser: -1, runAsGroup: 2 ** 31 }),
      expected: ["Invalid securityContext.runAsGroup", "Invalid securityContext.runAsUser"],
    },
    {
      why: "must not forbid escalation for a privileged container",
      given: context({ allowPrivilegeEscalation: false, privileged: true }),
      expected: ["Invalid securityContext"],
    },
    {
      why: "must not forbid escalation while it adds SYS_ADMIN",
      given: context({ allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } }),
      expected: ["Invalid securityContext"],
    },
    {
      why: "must have a known seccomp profile type",
      given: context({ seccompProfile: { type: "Strict" } }),
      expected: ["NotSupported securityContext.seccompProfile.type"],
    },
    {
      why: "must name a file for a Localhost profile",
      given: context({ seccompProfile: { type: "Localhost" } }),
      expected: ["Required securityContext.seccompProfile.localhostProfile"],
    },
    {
      why: "must name a file only for a Localhost profile",
      given: context({ seccompProfile: { type: "Strict", localhostProfile: "p" } }),
      expected: [
        "Invalid securityContext.seccompProfile.localhostProfile",
        "NotSupported securityContext.seccompProfile.type",
      ],
    },
    {
      why: "must have a valid Windows user",
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

  test("must have a relative profile path, also in the derived annotation", () => {
    for (const localhostProfile of ["../p", "/p"]) {
      const securityContext = { seccompProfile: { type: "Localhost", localhostProfile } };
      expect(short(problems(one({ securityContext })))).toEqual([
        "Invalid metadata.annotations.container.seccomp.security.alpha.orch.io/c",
        "Invalid spec.containers[0].securityContext.seccompProfile.localhostProfile",
      ]);
    }
  });

  test("must not be privileged if the server does not allow it", () => {
    const strict = bindVersions([Pod]).version("v1");
    expect(create(strict, one({ securityContext: { privileged: true } })).problems).toEqual([
      "Forbidden spec.containers[0].securityContext.privileged",
    ]);
    const object = strict.codec.decode(one({ securityContext: { privileged: true } }));
    const messages = liveCreate(strict, object).problems.map(({ message }) => message);
    expect(messages).toContain(
      "Forbidden: disallowed by cluster policy: the server runs with --allow-privileged=false",
    );
    expect(problems(one({ securityContext: { privileged: true } }))).toEqual([]);
  });
});
