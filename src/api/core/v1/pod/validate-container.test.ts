import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../../../life.suite.ts";
import { check, checkContainer, container, one, pod, problems, short } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

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
      why: "that come first are not watched, and how is looked at all the same",
      spec: { initContainers: [{ ...container, name: "d", livenessProbe: { tcpSocket: { port: 0 } }, lifecycle: {} }] },
      expected: [
        "Invalid initContainers[0].lifecycle",
        "Invalid initContainers[0].livenessProbe",
        "Invalid initContainers[0].livenessProbe.tcpSocket.port",
      ],
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
      expected: ["Invalid terminationMessagePolicy", "NotSupported imagePullPolicy"],
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
      why: "is given time to end by probes that end it",
      given: {
        livenessProbe: { ...probe, terminationGracePeriodSeconds: 5 },
        readinessProbe: { ...probe, terminationGracePeriodSeconds: 5 },
      },
      expected: ["Invalid readinessProbe.terminationGracePeriodSeconds"],
    },
    {
      why: "does one thing when it starts and stops",
      given: { lifecycle: { postStart: {}, preStop: { exec: { command: ["x"] } } } },
      expected: ["Required lifecycle.postStart"],
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
      why: "has a profile that there is, and a file for none but those of the host",
      given: context({ seccompProfile: { type: "Strict", localhostProfile: "p" } }),
      expected: [
        "Invalid securityContext.seccompProfile.localhostProfile",
        "NotSupported securityContext.seccompProfile.type",
      ],
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

  test("has a profile below its folder, and so has the annotation derived from it", () => {
    for (const localhostProfile of ["../p", "/p"]) {
      const securityContext = { seccompProfile: { type: "Localhost", localhostProfile } };
      expect(short(problems(one({ securityContext })))).toEqual([
        "Invalid metadata.annotations.container.seccomp.security.alpha.orch.io/c",
        "Invalid spec.containers[0].securityContext.seccompProfile.localhostProfile",
      ]);
    }
  });

  test("is not privileged if the server does not allow it", () => {
    const strict = bindVersions([Pod]).version("v1");
    expect(create(strict, one({ securityContext: { privileged: true } })).problems).toEqual([
      "Forbidden spec.containers[0].securityContext.privileged",
    ]);
    expect(problems(one({ securityContext: { privileged: true } }))).toEqual([]);
  });
});
