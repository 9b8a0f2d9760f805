import { expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import { createPodSecurity } from "./pod-security.ts";

const careful = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const carefulPod = { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } };

function podOf(spec: object, name = "p", labels = {}): ApiObject {
  const containers = [{ name: "c", image: "i", securityContext: careful }];
  // Tests write pods as JSON, fields of later levels too.
  return { metadata: { name, namespace: "n", labels }, spec: { ...carefulPod, containers, ...spec } } as ApiObject;
}
const namespaceOf = (labels: Record<string, string>): ApiObject => ({
  metadata: {
    name: "n",
    labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`pod-security.orch.io/${key}`, value])),
  },
});

function worldOf(labels: Record<string, string>, pods: readonly ApiObject[] = [], configuration?: object) {
  const existing = [
    { resource: "namespaces", object: namespaceOf(labels) },
    ...pods.map((object) => ({ resource: "pods", object })),
  ];
  const world = createWorld(existing, "orch", configuration ? { configuration: { PodSecurity: configuration } } : {});
  return { ...world, plugin: createPodSecurity(world.context) };
}

async function answer(labels: Record<string, string>, spec: object): Promise<string> {
  const { admit, plugin } = worldOf(labels);
  try {
    await admit(plugin, "pods", { object: podOf(spec), namespace: "n" });
    return "accepted";
  } catch (error) {
    return (error as Error).message.replace(/^.*latest": |^.*v1\.\d+": | \(admission plugin.*$/g, "");
  }
}

const container = (members: object) => ({ containers: [{ name: "c", image: "i", ...members }] });
const context = (members: object) => container({ securityContext: { ...careful, ...members } });

const baseline: readonly (readonly [spec: object, version: string, answer: string])[] = [
  [{ hostPID: true, hostIPC: true }, "latest", "host namespaces (hostPID=true, hostIPC=true)"],
  [context({ privileged: true }), "latest", 'privileged (container "c" must not set securityContext.privileged=true)'],
  [
    container({ ports: [{ hostPort: 80 }, { hostPort: 81 }] }),
    "latest",
    'hostPort (container "c" uses hostPorts 80, 81)',
  ],
  [{ volumes: [{ name: "v", hostPath: { path: "/" } }] }, "latest", 'hostPath volumes (volume "v")'],
  [
    container({ livenessProbe: { httpGet: { host: "h" } } }),
    "latest",
    'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
  ],
  [container({ livenessProbe: { httpGet: { host: "h" } } }), "v1.33", "accepted"],
  [
    { ...context({ procMount: "Unmasked" }), hostUsers: false },
    "v1.34",
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [{ ...context({ procMount: "Unmasked" }), hostUsers: false }, "latest", "accepted"],
  [{ securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } }, "v1.31", "forbidden sysctls (net.ipv4.tcp_rmem)"],
  [{ securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } }, "v1.32", "accepted"],
  [
    { securityContext: { seLinuxOptions: { type: "x", user: "u" } } },
    "latest",
    'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"; user may not be set)',
  ],
  [
    { securityContext: { windowsOptions: { hostProcess: true } } },
    "latest",
    "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
  ],
];
for (const [spec, version, expected] of baseline)
  test(`baseline ${version} answers ${expected} to ${JSON.stringify(spec)}`, async () => {
    expect(await answer({ enforce: "baseline", "enforce-version": version }, spec)).toBe(expected);
  });

const restricted: readonly (readonly [spec: object, answer: string])[] = [
  [{}, "accepted"],
  [
    container({}),
    'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
      'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
  ],
  [
    { securityContext: {} },
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
      'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    { volumes: [{ name: "v", hostPath: {} }] },
    'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  ],
  [context({ runAsUser: 0 }), 'runAsUser=0 (container "c" must not set runAsUser=0)'],
  [{ ...context({ runAsUser: 0 }), hostUsers: false }, "accepted"],
  [
    { ...context({ procMount: "Unmasked" }), hostUsers: false },
    'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  ],
  [{ ...container({}), os: { name: "windows" } }, "accepted"],
];
for (const [spec, expected] of restricted)
  test(`restricted answers ${expected} to ${JSON.stringify(spec)}`, async () => {
    expect(await answer({ enforce: "restricted" }, spec)).toBe(expected);
  });

test("an update that changes no image of a running pod is not checked", async () => {
  const { admit, plugin } = worldOf({ enforce: "baseline" });
  const old = podOf({ hostPID: true });
  const update = { operation: "UPDATE", old, namespace: "n", name: "p" } as const;
  await admit(plugin, "pods", { ...update, object: podOf({ hostPID: true }, "p", { a: "b" }) });
  const changed = podOf({ hostPID: true, containers: [{ name: "c", image: "other" }] });
  await expect(admit(plugin, "pods", { ...update, object: changed })).rejects.toThrow("host namespaces");
});

test("a namespace with another level or version is refused", async () => {
  const { admit, plugin } = worldOf({});
  const object = namespaceOf({ enforce: "strict", "warn-version": "1.30" });
  await expect(admit(plugin, "namespaces", { object })).rejects.toMatchObject({
    reason: "Invalid",
    details: {
      causes: [
        { field: "metadata.labels[pod-security.orch.io/enforce]" },
        { field: "metadata.labels[pod-security.orch.io/warn-version]" },
      ],
    },
  });
});

test("a stricter level warns about the pods that are already there", async () => {
  const pods = [podOf({ hostPID: true }, "a"), podOf({ hostNetwork: true }, "b"), podOf({}, "c")];
  const { admit, plugin, warnings } = worldOf({}, pods);
  await admit(plugin, "namespaces", {
    operation: "UPDATE",
    old: namespaceOf({}),
    object: namespaceOf({ enforce: "baseline" }),
  });
  expect(warnings).toEqual([
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    "a (and 1 other pod): host namespaces",
  ]);
});

test("configured defaults hold without labels, and exempt users are not checked", async () => {
  const configuration = {
    apiVersion: "pod-security.admission.config.orch.io/v1",
    kind: "PodSecurityConfiguration",
    defaults: { enforce: "baseline", audit: "restricted" },
    exemptions: { usernames: ["ci"] },
  };
  const { admit, plugin, annotations } = worldOf({}, [], configuration);
  const write = { object: podOf({ hostPID: true }), namespace: "n" };
  await expect(admit(plugin, "pods", write)).rejects.toThrow("host namespaces");
  expect(annotations.get("pod-security.orch.io/audit-violations")).toContain("host namespaces (hostPID=true)");
  await admit(plugin, "pods", { ...write, user: { name: "ci", uid: "", groups: [], extra: new Map() } });
  expect(annotations.get("pod-security.orch.io/exempt")).toBe("user");
  expect(() => worldOf({}, [], { ...configuration, defaults: { warn: "strict" } })).toThrow(
    "defaults.warn must be one of",
  );
});
