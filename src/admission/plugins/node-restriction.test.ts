import { describe, expect, test } from "vitest";
import type { User } from "../../machinery/meta/user.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createWorld, type Existing, type RequestOptions } from "../admission.suite.ts";
import { forbiddenNodeLabels } from "../node-labels.ts";
import { createNodeRestriction } from "./node-restriction.ts";

const agent = (name: string): User => ({ name, uid: "", groups: ["system:nodes"], extra: new Map() });
/** Objects are written as clients send them. */
const object = (metadata: object, rest: object = {}) => ({ metadata, ...rest }) as ApiObject;
const pod = (name: string, nodeName: string, metadata: object = {}) =>
  object({ name, namespace: "a", uid: `uid-${name}`, ...metadata }, { spec: { nodeName, containers: [] } });

const existing: Existing[] = [
  { resource: "nodes", object: object({ name: "n1", uid: "node-uid" }) },
  { resource: "pods", object: pod("mine", "n1") },
  { resource: "pods", object: pod("other", "n2") },
];
const world = createWorld(existing);
const plugin = createNodeRestriction(world.context);
const admit = (resource: string, options: RequestOptions, user = agent("system:node:n1")) =>
  world.admit(plugin, resource, { user, ...options });
const refused = { code: 403 };

const mirror = (more: { metadata?: object; spec?: object } = {}) =>
  object(
    {
      name: "m",
      annotations: { "orch.io/config.mirror": "x" },
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "node-uid", controller: true }],
      ...more.metadata,
    },
    { spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], ...more.spec } },
  );

describe("a node agent changes only its own objects, on create and on update (C21 in docs/security-rows.md)", () => {
  test("its own Node, and no other", async () => {
    await admit("nodes", { object: object({ name: "n1" }) });
    await admit("nodes", { operation: "DELETE", name: "n1", old: object({ name: "n1" }) });
    await expect(admit("nodes", { object: object({ name: "n2" }) })).rejects.toMatchObject(refused);
    const two = object({ name: "n2" });
    await expect(admit("nodes", { operation: "UPDATE", object: two, old: two })).rejects.toMatchObject(refused);
    await expect(admit("nodes", { operation: "DELETE", name: "n2", old: two })).rejects.toMatchObject(refused);
  });

  const changes: [string, object, object][] = [
    ["owners", { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] }, {}],
    ["a restricted label", { labels: { "node-restriction.orch.io/a": "b" } }, {}],
    ["a reserved label", { labels: { "node-role.orch.io/master": "" } }, {}],
    ["a configuration source", {}, { spec: { configSource: { configMap: { name: "x" } } } }],
  ];
  for (const [what, metadata, rest] of changes) {
    test(`it may not set ${what} of its own Node`, async () => {
      const next = object({ name: "n1", ...metadata }, rest);
      await expect(admit("nodes", { object: next })).rejects.toMatchObject(refused);
      const update: RequestOptions = { operation: "UPDATE", object: next, old: object({ name: "n1" }) };
      await expect(admit("nodes", update)).rejects.toMatchObject(refused);
      await admit("nodes", { ...update, old: next });
    });
  }

  test("taints are set once, when it registers", async () => {
    const tainted = object({ name: "n1" }, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } });
    await admit("nodes", { object: tainted });
    const plain = object({ name: "n1" }, { spec: {} });
    await expect(admit("nodes", { operation: "UPDATE", object: plain, old: tainted })).rejects.toMatchObject(refused);
    await expect(admit("nodes", { operation: "UPDATE", object: tainted, old: plain })).rejects.toMatchObject(refused);
  });

  const sources: [string, object][] = [
    ["an account", { serviceAccountName: "s" }],
    ["a Secret", { volumes: [{ name: "v", secret: { secretName: "s" } }] }],
    ["a ConfigMap", { volumes: [{ name: "v", configMap: { name: "s" } }] }],
    ["a claim", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "s" } }] }],
    [
      "an ephemeral volume with a claim",
      { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { spec: {} } } }] },
    ],
    ["a pull secret", { imagePullSecrets: [{ name: "s" }] }],
    ["a projection", { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "s" } }] } }] }],
    [
      "a variable",
      { containers: [{ name: "c", env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "s", key: "k" } } }] }] },
    ],
  ];
  for (const [what, spec] of sources) {
    test(`a mirror pod with ${what} is refused, since it would give the node access`, async () => {
      await expect(admit("pods", { object: mirror({ spec }) })).rejects.toMatchObject(refused);
    });
  }

  test("a mirror pod is bound to the node and owned by it, and nothing else is created", async () => {
    await admit("pods", { object: mirror() });
    const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "node-uid", controller: true };
    for (const metadata of [
      { annotations: {} },
      { ownerReferences: [] },
      { ownerReferences: [owner, owner] },
      { ownerReferences: [{ ...owner, uid: "wrong" }] },
      { ownerReferences: [{ ...owner, controller: false }] },
      { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
      { ownerReferences: [{ ...owner, name: "n2" }] },
      { ownerReferences: [{ ...owner, kind: "Pod" }] },
    ]) {
      await expect(admit("pods", { object: mirror({ metadata }) })).rejects.toMatchObject(refused);
    }
    await expect(admit("pods", { object: mirror({ spec: { nodeName: "n2" } }) })).rejects.toMatchObject(refused);
  });

  test("it may not delete or evict pods of other nodes, nor write their status", async () => {
    const [mine, other] = [pod("mine", "n1"), pod("other", "n2")];
    await admit("pods", { operation: "DELETE", name: "mine", old: mine });
    await expect(admit("pods", { operation: "DELETE", name: "other", old: other })).rejects.toMatchObject(refused);
    const evict = { subresource: "eviction", namespace: "a", object: object({}) };
    await admit("pods", { ...evict, name: "mine" });
    await expect(admit("pods", { ...evict, name: "other" })).rejects.toMatchObject(refused);
    await expect(admit("pods", { ...evict, name: "none" })).rejects.toMatchObject({
      code: 404,
      details: { kind: "pod" },
    });
    const write = { operation: "UPDATE", subresource: "status" } as const;
    await admit("pods", { ...write, object: mine, old: mine });
    await expect(admit("pods", { ...write, object: other, old: other })).rejects.toMatchObject(refused);
    const relabelled = pod("mine", "n1", { labels: { a: "b" } });
    await expect(admit("pods", { ...write, object: relabelled, old: mine })).rejects.toMatchObject(refused);
    await expect(admit("pods", { operation: "UPDATE", object: mine, old: mine })).rejects.toMatchObject(refused);
    await expect(admit("pods", { subresource: "binding", name: "mine", object: mine })).rejects.toMatchObject(refused);
  });

  test("it may write only the capacity and conditions of a claim", async () => {
    const old = object({ name: "c", resourceVersion: "1" }, { spec: { volumeName: "v" }, status: { phase: "Bound" } });
    const write = { operation: "UPDATE", subresource: "status", old } as const;
    const grown = { phase: "Bound", capacity: { storage: "2Gi" }, conditions: [{ type: "Resizing" }] };
    const claim = (metadata: object, status: object) =>
      object({ name: "c", ...metadata }, { spec: { volumeName: "v" }, status });
    await admit("persistentvolumeclaims", { ...write, object: claim({}, grown) });
    const lost = claim({}, { phase: "Lost" });
    await expect(admit("persistentvolumeclaims", { ...write, object: lost })).rejects.toMatchObject(refused);
    const labelled = claim({ labels: { a: "b" } }, grown);
    await expect(admit("persistentvolumeclaims", { ...write, object: labelled })).rejects.toMatchObject(refused);
    await expect(admit("persistentvolumeclaims", { object: old })).rejects.toMatchObject(refused);
  });

  test("tokens are bound to a pod of the node, by its uid", async () => {
    const ask = (boundObjectRef: object | null) =>
      admit("serviceaccounts", {
        subresource: "token",
        namespace: "a",
        name: "s",
        object: object({}, { spec: { boundObjectRef } }),
      });
    const bound = { apiVersion: "v1", kind: "Pod", name: "mine", uid: "uid-mine" };
    await ask(bound);
    await expect(ask(null)).rejects.toMatchObject(refused);
    await expect(ask({ ...bound, uid: "" })).rejects.toMatchObject(refused);
    await expect(ask({ ...bound, uid: "wrong" })).rejects.toMatchObject(refused);
    await expect(ask({ ...bound, kind: "Secret" })).rejects.toMatchObject(refused);
    await expect(ask({ ...bound, name: "other", uid: "uid-other" })).rejects.toMatchObject(refused);
    await expect(ask({ ...bound, name: "none" })).rejects.toMatchObject({ code: 404 });
  });

  test("its own lease in the namespace of leases, its own CSINode", async () => {
    await admit("leases", { namespace: "orch-node-lease", object: object({ name: "n1" }) });
    await admit("csinodes", { object: object({ name: "n1" }) });
    for (const [resource, namespace, name] of [
      ["leases", "orch-node-lease", "n2"],
      ["leases", "a", "n1"],
      ["csinodes", "", "n2"],
    ] as const) {
      await expect(admit(resource, { namespace, object: object({ name }) })).rejects.toMatchObject(refused);
      const old = object({ name });
      await expect(admit(resource, { operation: "DELETE", namespace, name, old })).rejects.toMatchObject(refused);
    }
  });

  test("a node without a name may write nothing, and other users are not restricted", async () => {
    const two = object({ name: "n2" });
    await expect(admit("nodes", { object: two }, agent("system:node:"))).rejects.toMatchObject(refused);
    await expect(admit("namespaces", { object: two }, agent("system:node:"))).rejects.toMatchObject(refused);
    await admit("nodes", { object: two }, agent("someone"));
    await admit("nodes", { object: two }, { ...agent("system:node:n1"), groups: [] });
  });
});

test("it may set labels that describe the node, in either vocabulary", () => {
  const own = [
    "orch.io/hostname",
    "node.orch.io/a",
    "x.orchlet.orch.io/a",
    "topology.orch.io/zone",
    "example.com/a",
    "a",
  ];
  const reserved = ["orch.io/other", "foo.orch.io/x", "topology.orch.io/rack", "x.node-restriction.orch.io/a"];
  for (const vocabulary of [orch, kubernetes]) {
    const all = [...own, ...reserved].map((label) => [vocabulary.word(label), "x"] as const);
    const expected = reserved.map((label) => vocabulary.word(label)).sort();
    expect(forbiddenNodeLabels(Object.fromEntries(all), {}, vocabulary)).toEqual(expected);
    expect(forbiddenNodeLabels({}, Object.fromEntries(all), vocabulary)).toEqual(expected);
    expect(forbiddenNodeLabels(Object.fromEntries(all), Object.fromEntries(all), vocabulary)).toEqual([]);
  }
  expect(forbiddenNodeLabels({ "x.k8s.io/a": "", "x.kubernetes.io/a": "" }, {}, kubernetes)).toHaveLength(2);
});

describe("at level 1.35", () => {
  const volumes = [
    { name: "a", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    { name: "b", projected: { sources: [{ serviceAccountToken: { path: "t", audience: "vault" } }] } },
    { name: "c", csi: { driver: "inline" } },
    { name: "d", persistentVolumeClaim: { claimName: "claim" } },
  ];
  const running = object(
    { name: "mine", namespace: "a", uid: "u" },
    { spec: { nodeName: "n1", containers: [], volumes } },
  );
  const driver = (name: string) => object({ name }, { spec: { tokenRequests: [{ audience: `for-${name}` }] } });
  const today = createWorld(
    [
      { resource: "nodes", object: object({ name: "n1", uid: "node-uid" }) },
      { resource: "pods", object: running },
      { resource: "csidrivers", object: driver("inline") },
      { resource: "csidrivers", object: driver("bound") },
      { resource: "csidrivers", object: driver("unused") },
      {
        resource: "persistentvolumeclaims",
        object: object({ name: "claim", namespace: "a" }, { spec: { volumeName: "v" } }),
      },
      { resource: "persistentvolumes", object: object({ name: "v" }, { spec: { csi: { driver: "bound" } } }) },
    ],
    "orch",
    {
      level: "1.35",
      authorizer: async ({ verb, resource, name, namespace }) => ({
        outcome:
          verb === "request-serviceaccounts-token-audience" &&
          resource === "granted" &&
          name === "sa" &&
          namespace === "a"
            ? "allow"
            : "none",
        reason: "",
      }),
    },
  );
  const restriction = createNodeRestriction(today.context);
  const admitToday = (resource: string, options: RequestOptions) =>
    today.admit(restriction, resource, { user: agent("system:node:n1"), ...options });
  const token = (...audiences: string[]) =>
    admitToday("serviceaccounts", {
      subresource: "token",
      namespace: "a",
      name: "sa",
      object: object(
        {},
        { spec: { audiences, boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "mine", uid: "u" } } },
      ),
    });

  test("a token is for an audience of the pod, of its drivers, or one that a role grants", async () => {
    for (const audience of ["vault", "for-inline", "for-bound", "granted"]) await token(audience);
    await token();
    await expect(token("for-unused")).rejects.toMatchObject(refused);
    await expect(token("other")).rejects.toMatchObject(refused);
    await expect(token("vault", "granted")).rejects.toMatchObject(refused);
  });

  test("a node lists its own devices only", async () => {
    const slice = (nodeName: string) =>
      admitToday("resourceslices", { object: object({ name: "s" }, { spec: { nodeName } }) });
    await slice("n1");
    await expect(slice("n2")).rejects.toMatchObject(refused);
  });

  test("a node does not choose the resource claims of pods", async () => {
    const claims = { status: { resourceClaimStatuses: [{ name: "x", resourceClaimName: "y" }] } };
    const update = (next: ApiObject) =>
      admitToday("pods", {
        operation: "UPDATE",
        subresource: "status",
        name: "mine",
        namespace: "a",
        object: next,
        old: running,
      });
    await update(running);
    // A pod as JSON.
    await expect(update({ ...running, ...claims } as ApiObject)).rejects.toMatchObject(refused);
    const withClaim = mirror({ spec: { resourceClaims: [{ name: "r", resourceClaimTemplateName: "t" }] } });
    await expect(admitToday("pods", { object: withClaim })).rejects.toMatchObject(refused);
  });
});
