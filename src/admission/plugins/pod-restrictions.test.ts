import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { tolerationsMergedMax } from "../tolerations.ts";
import { createAlwaysPullImages } from "./always-pull-images.ts";
import { createDenyEscalatingExec, createDenyExecOnPrivileged } from "./deny-exec.ts";
import { createExtendedResourceToleration } from "./extended-resource-toleration.ts";
import { createLimitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { createPodNodeSelector } from "./pod-node-selector.ts";
import { createPodTolerationRestriction } from "./pod-toleration-restriction.ts";
import { createSecurityContextDeny } from "./security-context-deny.ts";

const podOf = (spec: Record<string, unknown>): ApiObject => ({ metadata: { name: "p", namespace: "ns" }, spec });
const namespaceOf = (name: string, annotations: Record<string, string> = {}) => ({
  resource: "namespaces",
  object: { metadata: { name, annotations } } as ApiObject,
});
const specOf = (pod: ApiObject | undefined) => pod?.["spec"] as Record<string, unknown> | undefined;

describe("AlwaysPullImages", () => {
  const world = createWorld([]);
  const plugin = createAlwaysPullImages();
  const image = (name: string, imagePullPolicy: string) => ({ name: "c", image: name, imagePullPolicy });

  test("every container pulls its image, including init and ephemeral ones (C43 in docs/security-rows.md)", async () => {
    const spec = {
      initContainers: [image("a", "Never")],
      containers: [image("b", "IfNotPresent")],
      ephemeralContainers: [image("c", "IfNotPresent")],
    };
    expect(specOf(await world.admit(plugin, "pods", { object: podOf(spec) }))).toEqual({
      initContainers: [image("a", "Always")],
      containers: [image("b", "Always")],
      ephemeralContainers: [image("c", "Always")],
    });
  });

  test("an update changes the policy only if it has a new image", async () => {
    const old = podOf({ containers: [image("a", "Never")] });
    const same = await world.admit(plugin, "pods", { operation: "UPDATE", old, object: structuredClone(old) });
    expect(specOf(same)).toEqual(old["spec"]);
    const object = podOf({ containers: [image("b", "Never")] });
    const changed = await world.admit(plugin, "pods", { operation: "UPDATE", old, object });
    expect(specOf(changed)).toEqual({ containers: [image("b", "Always")] });
  });

  test("containers that are added to a running pod pull their image, and existing ones are unchanged (C43)", async () => {
    const container = (name: string, imagePullPolicy: string) => ({ ...image("a", imagePullPolicy), name });
    const added = await world.admit(plugin, "pods", {
      operation: "UPDATE",
      subresource: "ephemeralcontainers",
      old: { metadata: { name: "p" }, ephemeralContainers: [container("old", "Never")] },
      object: {
        metadata: { name: "p" },
        ephemeralContainers: [container("old", "Never"), container("new", "Never")],
      },
    });
    expect(added?.["ephemeralContainers"]).toEqual([container("old", "Never"), container("new", "Always")]);
  });

  test("a later change of the policy is refused", () => {
    const request = world.request("pods", { object: podOf({ containers: [image("a", "Never")] }) });
    expect(() => plugin.validate?.(request)).toThrow(/spec.containers\[0\].imagePullPolicy: must be Always/);
  });
});

describe("SecurityContextDeny", () => {
  const world = createWorld([]);
  const plugin = createSecurityContextDeny();
  const container = (securityContext: object) => ({ containers: [{ name: "c", securityContext }] });
  const refused: [spec: Record<string, unknown>, field: RegExp][] = [
    [{ securityContext: { supplementalGroups: [1] } }, /spec.securityContext.supplementalGroups/],
    [{ securityContext: { seLinuxOptions: {} } }, /spec.securityContext.seLinuxOptions/],
    [{ securityContext: { runAsUser: 0 } }, /spec.securityContext.runAsUser/],
    [{ securityContext: { fsGroup: 0 } }, /spec.securityContext.fsGroup/],
    [container({ runAsUser: 0 }), /spec.containers\[0\].securityContext.runAsUser/],
    [{ initContainers: [{ name: "i", securityContext: { seLinuxOptions: {} } }] }, /spec.initContainers\[0\]/],
  ];
  for (const [spec, field] of refused) {
    test(`refuses ${JSON.stringify(spec)}`, async () => {
      await expect(world.admit(plugin, "pods", { object: podOf(spec) })).rejects.toThrow(field);
    });
  }
  test("other fields of the security context are allowed", async () => {
    const spec = { ...container({ privileged: true, runAsGroup: 1 }), securityContext: { runAsNonRoot: true } };
    expect(specOf(await world.admit(plugin, "pods", { object: podOf(spec) }))).toEqual(spec);
  });
});

describe("LimitPodHardAntiAffinityTopology", () => {
  const world = createWorld([]);
  const plugin = createLimitPodHardAntiAffinityTopology(world.context);
  const required = (...keys: string[]) => ({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })) },
    },
  });
  test("the host name is the only topology that may be required", async () => {
    await world.admit(plugin, "pods", { object: podOf(required("orch.io/hostname")) });
    const pod = podOf(required("orch.io/hostname", "topology.orch.io/zone"));
    await expect(world.admit(plugin, "pods", { object: pod })).rejects.toThrow(
      /\[1\].topologyKey: must be orch.io\/hostname/,
    );
  });
});

describe("ExtendedResourceToleration", () => {
  const world = createWorld([]);
  const plugin = createExtendedResourceToleration(world.context);
  const asks = (...names: string[]) => ({
    name: "c",
    resources: { requests: Object.fromEntries(names.map((name) => [name, "1"])) },
  });
  const tolerates = (key: string) => ({ key, operator: "Exists", effect: "NoSchedule" });
  test("each extended resource is tolerated once, in the order of the names", async () => {
    const spec = {
      initContainers: [asks("example.com/z")],
      containers: [asks("cpu", "example.com/b"), asks("example.com/a", "example.com/b")],
      tolerations: [tolerates("example.com/b")],
    };
    const pod = await world.admit(plugin, "pods", { object: podOf(spec) });
    expect(specOf(pod)?.["tolerations"]).toEqual(["example.com/b", "example.com/a", "example.com/z"].map(tolerates));
  });
  test("resources of the system are not tolerated", async () => {
    const pod = await world.admit(plugin, "pods", { object: podOf({ containers: [asks("cpu", "hugepages-2Mi")] }) });
    expect(specOf(pod)?.["tolerations"]).toBeUndefined();
  });
});

describe("PodNodeSelector", () => {
  const annotation = "scheduler.alpha.orch.io/node-selector";
  const world = createWorld(
    [
      namespaceOf("plain"),
      namespaceOf("told", { [annotation]: "env=test, tier=web" }),
      namespaceOf("none", { [annotation]: "" }),
      namespaceOf("broken", { [annotation]: "env in (test)" }),
      namespaceOf("bound"),
    ],
    "orch",
    {
      configuration: {
        PodNodeSelector: {
          podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "tier=any", bound: "tier=any,disk=ssd", none: "" },
        },
      },
    },
  );
  const plugin = createPodNodeSelector(world.context);
  const selectorIn = async (namespace: string, nodeSelector?: Record<string, string>) =>
    specOf(await world.admit(plugin, "pods", { namespace, object: podOf(nodeSelector ? { nodeSelector } : {}) }))?.[
      "nodeSelector"
    ];

  test("pods get the selector of their namespace, or else the cluster's default", async () => {
    expect(await selectorIn("plain")).toEqual({ tier: "any" });
    expect(await selectorIn("told", { disk: "ssd" })).toEqual({ env: "test", tier: "web", disk: "ssd" });
    expect(await selectorIn("none", { disk: "ssd" })).toEqual({ disk: "ssd" });
  });
  test("a pod that selects other nodes is refused", async () => {
    await expect(selectorIn("told", { env: "prod" })).rejects.toThrow(/spec.nodeSelector\[env\]: conflicts/);
    await expect(selectorIn("bound", { zone: "a" })).rejects.toThrow(/spec.nodeSelector\[zone\]: is not allowed by/);
    expect(await selectorIn("bound", { disk: "ssd" })).toEqual({ tier: "any", disk: "ssd" });
  });
  test("a malformed annotation refuses the pod and is named", async () => {
    await expect(selectorIn("broken")).rejects.toMatchObject({ reason: "Forbidden" });
  });
  test("a malformed configuration stops the start", () => {
    const configuration = { PodNodeSelector: { podNodeSelectorPluginConfig: { a: "b" } } };
    expect(() => createPodNodeSelector(createWorld([], "orch", { configuration }).context)).toThrow(
      /podNodeSelectorPluginConfig.a: must be like key=value/,
    );
  });
});

describe("PodTolerationRestriction", () => {
  const defaults = "scheduler.alpha.orch.io/defaultTolerations";
  const whitelist = "scheduler.alpha.orch.io/tolerationsWhitelist";
  const of = (key: string, value = "v") => ({ key, operator: "Equal", value, effect: "NoSchedule" });
  const any = (key: string) => ({ key, operator: "Exists", effect: "NoSchedule" });
  const namespaces = [
    namespaceOf("plain"),
    namespaceOf("giving", { [defaults]: JSON.stringify([of("a")]) }),
    namespaceOf("strict", { [whitelist]: JSON.stringify([any("a")]) }),
    namespaceOf("open", { [whitelist]: "", [defaults]: "" }),
    namespaceOf("broken", { [defaults]: "{" }),
  ];
  const cluster = {
    apiVersion: "podtolerationrestriction.admission.orch.io/v1alpha1",
    kind: "Configuration",
    default: [of("cluster")],
    whitelist: [any("cluster"), any("a")],
  };
  const admitIn = async (
    world: ReturnType<typeof createWorld>,
    namespace: string,
    tolerations: object[],
    spec: Record<string, unknown> = {},
  ) => {
    const plugin = createPodTolerationRestriction(world.context);
    const object = podOf({ ...spec, ...(tolerations.length > 0 ? { tolerations } : {}) });
    return specOf(await world.admit(plugin, "pods", { namespace, object }))?.["tolerations"];
  };
  const bare = createWorld(namespaces);
  const configured = createWorld(namespaces, "orch", { configuration: { PodTolerationRestriction: cluster } });

  test("the defaults of the namespace follow the pod's own, without those that the pod already tolerates", async () => {
    expect(await admitIn(bare, "giving", [of("b")])).toEqual([of("b"), of("a")]);
    expect(await admitIn(bare, "giving", [{ operator: "Exists" }])).toEqual([{ operator: "Exists" }]);
    expect(await admitIn(bare, "plain", [])).toBeUndefined();
  });
  test("a toleration of the key and effect of a default, with another value or operator, is refused", async () => {
    const conflict = /spec.tolerations\[1\]: conflicts with the default tolerations/;
    await expect(admitIn(bare, "giving", [of("b"), any("a")])).rejects.toThrow(conflict);
    await expect(admitIn(bare, "giving", [of("b"), of("a", "w")])).rejects.toThrow(conflict);
    const other = { ...of("a", "w"), effect: "PreferNoSchedule" };
    expect(await admitIn(bare, "giving", [other])).toEqual([other, of("a")]);
    await expect(admitIn(configured, "plain", [any("cluster")])).rejects.toThrow(/\[0\]: conflicts with the default/);
  });
  test("pods that request resources tolerate nodes under memory pressure", async () => {
    const spec = { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] };
    expect(await admitIn(bare, "plain", [], spec)).toEqual([any("node.orch.io/memory-pressure")]);
  });
  test("tolerations outside the whitelist of the namespace are refused, its defaults too", async () => {
    expect(await admitIn(bare, "strict", [of("a", "w")])).toEqual([of("a", "w")]);
    await expect(admitIn(bare, "strict", [of("a"), of("b")])).rejects.toThrow(/spec.tolerations\[1\]: is not allowed/);
  });
  test("the cluster's lists apply where a namespace has none; an empty annotation is an empty list", async () => {
    expect(await admitIn(configured, "plain", [])).toEqual([of("cluster")]);
    await expect(admitIn(configured, "plain", [of("b")])).rejects.toThrow(/whitelist of the cluster/);
    expect(await admitIn(configured, "open", [of("b")])).toEqual([of("b")]);
  });
  test("an annotation that is not a list of tolerations refuses the pod and names the annotation", async () => {
    await expect(admitIn(bare, "broken", [])).rejects.toThrow(
      /defaultTolerations of namespace broken must be a JSON list/,
    );
  });
  test("more tolerations than can be compared quickly are refused", async () => {
    const many = Array.from({ length: tolerationsMergedMax }, (_, index) => of(`k${index}`));
    await expect(admitIn(bare, "giving", many)).rejects.toThrow(/more than 256 tolerations/);
  });
});

describe("DenyEscalatingExec and DenyExecOnPrivileged", () => {
  const pods = {
    plain: {},
    pid: { hostPID: true },
    ipc: { hostIPC: true },
    privileged: { initContainers: [{ name: "i", securityContext: { privileged: true } }] },
  };
  const world = createWorld(
    Object.entries(pods).map(([name, spec]) => ({
      resource: "pods",
      object: { metadata: { name, namespace: "ns" }, spec } as ApiObject,
    })),
  );
  const refusedBy = async (plugin: AdmissionPlugin, subresource: string) => {
    const refused: string[] = [];
    for (const name of [...Object.keys(pods), "missing"]) {
      const options = { operation: "CONNECT", namespace: "ns", name, subresource } as const;
      await world.admit(plugin, "pods", options).catch(() => refused.push(name));
    }
    return refused;
  };
  test("exec and attach are refused for these pods, other connections never", async () => {
    const escalating = createDenyEscalatingExec(world.context);
    const privileged = createDenyExecOnPrivileged(world.context);
    for (const subresource of ["exec", "attach"]) {
      expect(await refusedBy(escalating, subresource)).toEqual(["pid", "ipc", "privileged"]);
      expect(await refusedBy(privileged, subresource)).toEqual(["privileged"]);
    }
    expect(await refusedBy(escalating, "portforward")).toEqual([]);
  });
});
