/** A cluster that is broken in many ways: one command finds the cause of each, and the next one undoes it. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OrchServer } from "../../main/library.ts";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;

const web = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, labels: { team: shop } }
data: { color: blue }
---
apiVersion: v1
kind: Secret
metadata: { name: keys }
stringData: { token: right }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: enough }
spec: { hard: { pods: "20" } }
---
apiVersion: v1
kind: Service
metadata: { name: web, labels: { team: shop } }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: "web:1", envFrom: [{ configMapRef: { name: settings } }, { secretRef: { name: keys } }] }]
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: prices, namespace: shop }
data: { apple: "1" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: till, namespace: shop }
spec:
  replicas: 1
  selector: { matchLabels: { app: till } }
  template:
    metadata: { labels: { app: till } }
    spec: { containers: [{ name: till, image: "till:1" }] }
---
apiVersion: rbac.authorization.orch.io/v1
kind: ClusterRole
metadata:
  name: view-changes
  labels: { rbac.authorization.orch.io/aggregate-to-view: "true" }
rules:
- { apiGroups: [history.orch.io], resources: [changes], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.orch.io/v1
kind: Role
metadata: { name: secret-readers }
rules: [{ apiGroups: [""], resources: [secrets], verbs: [get] }]
---
apiVersion: rbac.authorization.orch.io/v1
kind: RoleBinding
metadata: { name: secret-readers }
roleRef: { apiGroup: rbac.authorization.orch.io, kind: Role, name: secret-readers }
subjects: [{ kind: User, apiGroup: rbac.authorization.orch.io, name: anna }]
---
apiVersion: rbac.authorization.orch.io/v1
kind: RoleBinding
metadata: { name: readers }
roleRef: { apiGroup: rbac.authorization.orch.io, kind: ClusterRole, name: view }
subjects: [{ kind: User, apiGroup: rbac.authorization.orch.io, name: jane }]
---
apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
  - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-orch-preserve-unknown-fields: true } } }
`;

beforeAll(async () => {
  session = await openSession("ctl", {
    history: "1h",
    controllers: ["*"],
    nodes: 1,
    authorization: "RBAC",
  });
  await session.ok(["apply", "-f", session.file("web.yaml", web)]);
  // Jane sees changes once the role for them is a part of hers.
  const asJane = { fetch: session.server.fetchAs({ name: "jane" }) };
  await vi.waitFor(() => session.ok("history", asJane), { timeout: 30_000 });
  await session.server.until("Deployment", "web", ({ status }: Deployed) => status?.availableReplicas === 2);
});
afterAll(() => session[Symbol.asyncDispose]());

interface Deployed {
  readonly metadata: object;
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly availableReplicas?: number; readonly updatedReplicas?: number };
}

interface Cluster extends AsyncDisposable {
  readonly fork: OrchServer;
  ok(line: string | readonly string[], as?: string): Promise<string>;
  /** By what the server answers that user. */
  may(user: string, what: string): Promise<boolean>;
  /** The number of the change that the command shows and that the words describe; then it is undone. */
  undo(find: string, what: RegExp): Promise<void>;
}

const masters = ["system:masters"];

/** `by`: who breaks it; absent: the admin. */
async function broken(lines: readonly (string | readonly string[])[], by?: string): Promise<Cluster> {
  const fork = await session.server.fork();
  const ok = (line: string | readonly string[], as?: string) =>
    session.ok(line, { fetch: as === undefined ? fork.fetch : fork.fetchAs({ name: as }) });
  const fetch = by === undefined ? fork.fetch : fork.fetchAs({ name: by, groups: masters });
  for (const line of lines) await session.ok(line, { fetch });
  return {
    fork,
    ok,
    async may(user, what) {
      const { out } = await session.run(`auth can-i ${what}`, { fetch: fork.fetchAs({ name: user }) });
      return out.trim() === "yes";
    },
    async undo(find, what) {
      const found = await ok(find);
      const line = found.split("\n").find((one) => what.test(one));
      expect(line, found).toBeDefined();
      const number = /\d+/.exec(line!)![0];
      await ok(`undo ${number}`);
    },
    [Symbol.asyncDispose]: () => fork.close(),
  };
}

const patch = (what: string, body: object) => ["patch", ...what.split(" "), "--type=merge", "-p", JSON.stringify(body)];
const template = (container: object) => ({
  spec: { template: { spec: { containers: [{ name: "web", image: "web:1", ...container }] } } },
});
const token = "get secret keys -o go-template={{.data.token|base64decode}}";
const image = "jsonpath={.spec.template.spec.containers[0].image}";

test("a wrong image", async () => {
  await using cluster = await broken(["set image deploy/web web=web:wrong"]);
  await cluster.undo("why deploy/web", /update deployments\/web .*"web:1" -> "web:wrong"/);
  expect(await cluster.ok(`get deploy web -o ${image}`)).toBe("web:1");
});

test("a service that selects nothing", async () => {
  await using cluster = await broken([patch("service web", { spec: { selector: { app: "wbe" } } })]);
  await cluster.undo("why service/web", /update services\/web .*spec\.selector\.app: "web" -> "wbe"/);
  expect(await cluster.ok("get service web -o jsonpath={.spec.selector.app}")).toBe("web");
});

test("a ConfigMap that was deleted", async () => {
  await using cluster = await broken(["delete configmap settings"]);
  await cluster.undo("why deploy/web", /delete configmaps\/settings/);
  expect(await cluster.ok("get configmap settings -o jsonpath={.data.color}")).toBe("blue");
});

test("a quota that allows too little", async () => {
  await using cluster = await broken(["create quota tight --hard=pods=1", "delete pods -l app=web --wait=false"]);
  await cluster.undo("why deploy/web", /create resourcequotas\/tight/);
  expect(await cluster.ok("get quota -o name")).toBe("resourcequota/enough\n");
});

test("a workload that was scaled to nothing", async () => {
  await using cluster = await broken(["scale deploy web --replicas=0"]);
  await cluster.undo("why deploy/web", /update \(scale\) deployments\/web .*spec\.replicas: 2 -> 0/);
  await cluster.fork.until(
    "Deployment",
    "web",
    ({ spec, status }: Deployed) => spec?.replicas === 2 && status?.availableReplicas === 2,
  );
});

test("a right that was taken away", async () => {
  await using cluster = await broken(["delete rolebinding readers"]);
  expect(await cluster.may("jane", "list pods")).toBe(false);
  await cluster.undo("why rolebinding/readers", /delete rolebindings\/readers/);
  expect(await cluster.may("jane", "list pods")).toBe(true);
});

test("a webhook that blocks every pod", async () => {
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const hook = {
    apiVersion: "admissionregistration.orch.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "blocker" },
    webhooks: [
      {
        name: "no.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules,
      },
    ],
  };
  await using cluster = await broken([["apply", "-f", session.file("hook.json", JSON.stringify(hook))]]);
  await cluster.undo("why deploy/web", /create validatingwebhookconfigurations\/blocker/);
  await cluster.ok("run one --image=i");
});

test("a node that nobody may use", async () => {
  const node = (await session.ok("get nodes -o name")).trim().replace("node/", "");
  await using cluster = await broken([`taint node ${node} closed=yes:NoSchedule`]);
  await cluster.undo("why deploy/web", /update nodes\/\S+ .*spec\.taints/);
  expect(await cluster.ok(`get node ${node} -o jsonpath={.spec.taints}`)).not.toContain("closed");
});

test("a rollout that never becomes ready, and its story", async () => {
  await using cluster = await broken([patch("deploy web", template({ image: "web:2", command: ["false"] }))]);
  const told = () => cluster.ok("timeline deploy/web");
  await vi.waitFor(async () => expect(await told()).toMatch(/pods\/\S+ +update .*scheduler/), { timeout: 30_000 });
  const story = await told();
  const at = (what: RegExp) => story.search(what);
  expect(at(/deployments\/web +update +admin/)).toBeLessThan(at(/replicasets\/\S+ +create .*deployment default\/web/));
  expect(at(/replicasets\/\S+ +create/)).toBeLessThan(at(/pods\/\S+ +create .*replicaset default\/web-/));
  const pod = /pods\/(\S+) +create/.exec(story)![1]!;
  // The chain of causes ends with the person.
  const why = await cluster.ok(`why pod/${pod}`);
  expect(why).toMatch(/how it came about:\n.*\n.*(?:\n.*)*update deployments\/web .*web:2/);
  await cluster.undo("why deploy/web", /update deployments\/web .*web:2/);
  expect(await cluster.ok(`get deploy web -o ${image}`)).toBe("web:1");
});

test("a definition that was removed, with its objects", async () => {
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: 3 } };
  await using cluster = await broken([
    ["create", "-f", session.file("widget.json", JSON.stringify(widget))],
    "delete customresourcedefinition widgets.example.com",
  ]);
  // The server deletes it in the end, after its objects; who asked for that is what counts.
  await vi.waitFor(async () => expect(await cluster.ok("why widgets/one")).toMatch(/delete customresource/));
  const told = await cluster.ok("why widgets/one");
  expect(told).toMatch(/admin +update customresourcedefinitions\/widgets\.example\.com +metadata\.deletionTimestamp/);
  await cluster.undo("why widgets/one", /delete customresourcedefinitions\/widgets\.example\.com/);
  await vi.waitFor(() => cluster.ok("undelete widgets --since=1h"), { timeout: 30_000 });
  expect(await cluster.ok("get widget one -o jsonpath={.spec.size}")).toBe("3");
});

test("a namespace that was deleted, with all that was in it", async () => {
  await using cluster = await broken(["delete namespace shop"]);
  const told = await cluster.ok("why namespace/shop");
  expect(told).toMatch(/admin +update namespaces\/shop +metadata\.deletionTimestamp/);
  expect(told).toMatch(/"ctl undelete namespace\/shop" creates it again, with what was in it/);
  await cluster.ok("undelete namespace/shop");
  expect(await cluster.ok("get configmap prices -n shop -o jsonpath={.data.apple}")).toBe("1");
  await cluster.fork.until("Deployment", "till", ({ status }: Deployed) => status?.availableReplicas === 1, {
    namespace: "shop",
  });
});

test("a role that was removed", async () => {
  await using cluster = await broken(["delete role secret-readers"]);
  expect(await cluster.may("anna", "get secrets")).toBe(false);
  await cluster.undo("why rolebinding/secret-readers", /delete roles\/secret-readers/);
  expect(await cluster.may("anna", "get secrets")).toBe(true);
});

test("a quota that was set to nothing", async () => {
  await using cluster = await broken([
    patch("quota enough", { spec: { hard: { pods: "0" } } }),
    "delete pods -l app=web --wait=false",
  ]);
  await cluster.undo("why deploy/web", /update resourcequotas\/enough .*spec\.hard\.pods: "20" -> "0"/);
  await cluster.fork.until("Deployment", "web", ({ status }: Deployed) => status?.availableReplicas === 2);
});

test("labels that a bad controller removes", async () => {
  const janitor = "system:serviceaccount:default:janitor";
  const unlabel = (what: string) => patch(what, { metadata: { labels: { team: null } } });
  await using cluster = await broken([unlabel("service web"), unlabel("configmap settings")], janitor);
  const labelled = "get services,configmaps -l team=shop -o name";
  expect((await cluster.ok(labelled)).trim()).toBe("");
  const found = await cluster.ok(["history", `--by=${janitor}`, "--since=1h"]);
  const numbers = found.split("\n").flatMap((line) => (/metadata\.labels/.test(line) ? /\d+/.exec(line)![0] : []));
  expect(numbers, found).toHaveLength(2);
  await cluster.ok(["undo", ...numbers]);
  expect((await cluster.ok(labelled)).split("\n").filter(Boolean).sort()).toEqual([
    "configmap/settings",
    "service/web",
  ]);
});

test("labels of pods that a bad controller removes: a service finds none of them", async () => {
  const robot = "system:serviceaccount:default:robot";
  await using cluster = await broken([["label", "pods", "-l", "app=web", "app-"]], robot);
  const told = await cluster.ok("why service/web");
  expect(told).toMatch(/robot +update pods\/web-\S+ .*metadata\.labels/);
  expect(await cluster.ok("why deploy/web")).toMatch(/robot +update pods\/web-\S+ .*metadata\.labels/);
});

test("a Deployment behind a service and an Ingress that was deleted", async () => {
  const ingress = {
    apiVersion: "networking.orch.io/v1",
    kind: "Ingress",
    metadata: { name: "front" },
    spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
  };
  await using cluster = await broken([
    ["apply", "-f", session.file("ingress.json", JSON.stringify(ingress))],
    patch("service web", { spec: { ports: [{ port: 81 }] } }),
    "delete deploy web",
  ]);
  expect(await cluster.ok("why ingress/front")).toMatch(/update services\/web .*spec\.ports/);
  await cluster.undo("why service/web", /delete deployments\/web/);
  await cluster.fork.until("Deployment", "web", ({ status }: Deployed) => status?.availableReplicas === 2);
});

test("a ConfigMap with a wrong value", async () => {
  await using cluster = await broken([patch("configmap settings", { data: { color: "red" } })]);
  await cluster.undo("why deploy/web", /update configmaps\/settings .*data\.color: "blue" -> "red"/);
  expect(await cluster.ok("get configmap settings -o jsonpath={.data.color}")).toBe("blue");
});

test("a Secret that was rotated wrongly; users who may not read it do not see the change", async () => {
  const wrong = Buffer.from("wrong").toString("base64");
  await using cluster = await broken([
    patch("secret keys", { data: { token: wrong } }),
    patch("configmap settings", { data: { color: "red" } }),
  ]);
  const told = await cluster.ok("why deploy/web", "jane");
  expect(told).toMatch(/configmaps\/settings/);
  expect(told).not.toMatch(/secrets\/keys/);
  await cluster.undo("why deploy/web", /update secrets\/keys .*data\.token/);
  expect(await cluster.ok(token)).toBe("right");
});

test("a node that was cordoned", async () => {
  const node = (await session.ok("get nodes -o name")).trim().replace("node/", "");
  await using cluster = await broken([`cordon ${node}`, "delete pods -l app=web --wait=false"]);
  await cluster.undo("why deploy/web", /update nodes\/\S+ .*spec\.unschedulable: .*true/);
  await cluster.fork.until("Deployment", "web", ({ status }: Deployed) => status?.availableReplicas === 2);
});

test("an owner that was deleted, and what it owned with it", async () => {
  const uid = await session.ok("get configmap settings -o jsonpath={.metadata.uid}");
  const owned = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "owned", ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "settings", uid }] },
    data: { size: "7" },
  };
  await using cluster = await broken([
    ["apply", "-f", session.file("owned.json", JSON.stringify(owned))],
    "delete configmap settings",
  ]);
  await vi.waitFor(() => expect(cluster.ok("get configmap owned")).rejects.toThrow(/not found/), { timeout: 30_000 });
  // Who deleted the owner is what led to it.
  const told = await cluster.ok("why configmap/owned");
  expect(told).toMatch(/delete configmaps\/owned(.*\n)+.*admin +delete configmaps\/settings/);
  const [, first, then] = /undo (\d+)" creates configmaps\/settings again, and then ".* undo (\d+)"/.exec(told)!;
  await cluster.ok(["undo", first!]);
  await cluster.ok(["undo", then!]);
  const owner = await cluster.ok("get configmap settings -o jsonpath={.metadata.uid}");
  expect(await cluster.ok("get configmap owned -o jsonpath={.metadata.ownerReferences[0].uid}")).toBe(owner);
});

test("a workload that is new: no command is named that would delete it", async () => {
  await using cluster = await broken(["create deployment fresh --image=fresh:1"]);
  const told = await cluster.ok("why deploy/fresh");
  expect(told).toMatch(/create deployments\/fresh/);
  expect(told).not.toMatch(/ undo \d/);
});

test("what the trouble names comes first, whatever else was changed since", async () => {
  const noise = Array.from({ length: 4 }, (_, at) => [
    `label namespace shop step=${at} --overwrite`,
    patch("service web", { metadata: { annotations: { step: `${at}` } } }),
  ]).flat();
  await using cluster = await broken([
    "create serviceaccount runner",
    "set serviceaccount deploy web runner",
    "delete serviceaccount runner",
    "delete pods -l app=web --wait=false",
    ...noise,
    ...["red", "green", "grey", "black", "white"].map((color) => patch("configmap settings", { data: { color } })),
  ]);
  await vi.waitFor(async () => expect(await cluster.ok("why deploy/web")).toMatch(/there is no service account/));
  const told = await cluster.ok("why deploy/web");
  const [, first] = /may be why:\n +(\d+) .*delete serviceaccounts\/runner/.exec(told) ?? [];
  expect(first, told).toBeDefined();
  expect(told).toContain(`undo ${first}" takes the first of them back`);
});

test("what controllers write in a busy namespace does not hide what a person did", async () => {
  await using cluster = await broken([patch("quota enough", { spec: { hard: { pods: "1" } } })]);
  const write = async (at: number) => {
    const { status } = await cluster.fork.fetch("/api/v1/namespaces/default/configmaps/busy", {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml", "orch-cause": "busy default/busy" },
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "busy" }, data: { at: `${at}` } }),
    });
    return status;
  };
  for (let at = 0; at < 520; at += 1) await write(at);
  await cluster.undo("why deploy/web", /update resourcequotas\/enough .*spec\.hard\.pods: "20" -> "1"/);
});

test("a right that was taken from a role: why denied tells who may read the changes of roles", async () => {
  const auditor = "create clusterrole auditor --verb=get,list --resource=roles,rolebindings,changes.history.orch.io";
  await using cluster = await broken([
    auditor,
    "create clusterrolebinding auditor --clusterrole=auditor --user=anna",
    patch("role secret-readers", { rules: [] }),
  ]);
  const denied = "why denied get secrets keys";
  const told = await cluster.ok(denied, "anna");
  const [, number] = /may be why:\n +(\d+) .*update roles\/secret-readers +rules/.exec(told) ?? [];
  expect(number, told).toBeDefined();
  expect(told).toContain(`undo ${number}" takes the first of them back`);
  await cluster.ok(`undo ${number}`);
  expect(await cluster.ok(denied, "anna")).toMatch(/^it is allowed/);
  expect(await cluster.ok(denied, "jane")).not.toMatch(/may be why/);
});

test("a DaemonSet for nodes that there are none of: the selector is named before what is counted along", async () => {
  const spec = {
    selector: { matchLabels: { app: "agent" } },
    template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "a", image: "a:1" }] } },
  };
  const agent = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec };
  await using cluster = await broken([
    ["apply", "-f", session.file("agent.json", JSON.stringify(agent))],
    patch("daemonset agent", { spec: { template: { spec: { nodeSelector: { disk: "ssd" } } } } }),
  ]);
  await cluster.undo("why daemonset/agent", /update daemonsets\/agent +spec\.template\.spec\.nodeSelector/);
});

test("a webhook without a service: why of the webhook takes it back", async () => {
  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
  const clientConfig = { service: { namespace: "shop", name: "injector" } };
  const webhooks = [
    { name: "no.example.com", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig, rules },
  ];
  const hook = {
    apiVersion: "admissionregistration.orch.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "sidecars" },
    webhooks,
  };
  await using cluster = await broken([
    "create service clusterip injector --tcp=443 -n shop",
    "delete service injector -n shop",
    ["apply", "-f", session.file("sidecars.json", JSON.stringify(hook))],
  ]);
  const told = await cluster.ok("why mutatingwebhookconfiguration/sidecars");
  expect(told).toMatch(/may be why:\n +\d+ .*delete services\/injector/);
  await cluster.undo("why mutatingwebhookconfiguration/sidecars", /create mutatingwebhookconfigurations\/sidecars/);
  await cluster.ok("run one --image=i");
});
