/** A cluster that is broken in ten ways: one command finds the cause of each, and the next one undoes it. */

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OrchServer } from "../../main/library.ts";
import { openSession, type Session } from "../session.suite.ts";

let session: Session;

const web = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { color: blue }
---
apiVersion: v1
kind: Service
metadata: { name: web }
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
      containers: [{ name: web, image: "web:1", envFrom: [{ configMapRef: { name: settings } }] }]
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
  session = await openSession("ctl", { history: "1h", controllers: ["*"], nodes: 1 });
  await session.ok(["apply", "-f", session.file("web.yaml", web)]);
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
  ok(line: string | readonly string[]): Promise<string>;
  /** The number of the change that the command shows and that the words describe; then it is undone. */
  undo(find: string, what: RegExp): Promise<void>;
}

async function broken(...lines: readonly (string | readonly string[])[]): Promise<Cluster> {
  const fork = await session.server.fork();
  const ok = (line: string | readonly string[]) => session.ok(line, { fetch: fork.fetch });
  for (const line of lines) await ok(line);
  return {
    fork,
    ok,
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
const image = "jsonpath={.spec.template.spec.containers[0].image}";

test("a wrong image", async () => {
  await using cluster = await broken("set image deploy/web web=web:wrong");
  await cluster.undo("why deploy/web", /update deployments\/web .*"web:1" -> "web:wrong"/);
  expect(await cluster.ok(`get deploy web -o ${image}`)).toBe("web:1");
});

test("a service that selects nothing", async () => {
  await using cluster = await broken(patch("service web", { spec: { selector: { app: "wbe" } } }));
  await cluster.undo("why service/web", /update services\/web .*spec\.selector\.app: "web" -> "wbe"/);
  expect(await cluster.ok("get service web -o jsonpath={.spec.selector.app}")).toBe("web");
});

test("a ConfigMap that was deleted", async () => {
  await using cluster = await broken("delete configmap settings");
  await cluster.undo("why deploy/web", /delete configmaps\/settings/);
  expect(await cluster.ok("get configmap settings -o jsonpath={.data.color}")).toBe("blue");
});

test("a quota that allows too little", async () => {
  await using cluster = await broken("create quota tight --hard=pods=1", "delete pods -l app=web --wait=false");
  await cluster.undo("why deploy/web", /create resourcequotas\/tight/);
  expect(await cluster.ok("get quota -o name")).toBe("");
});

test("a workload that was scaled to nothing", async () => {
  await using cluster = await broken("scale deploy web --replicas=0");
  await cluster.undo("why deploy/web", /update \(scale\) deployments\/web .*spec\.replicas: 2 -> 0/);
  await cluster.fork.until(
    "Deployment",
    "web",
    ({ spec, status }: Deployed) => spec?.replicas === 2 && status?.availableReplicas === 2,
  );
});

test("a right that was taken away", async () => {
  await using cluster = await broken("delete rolebinding readers");
  await cluster.undo("why rolebinding/readers", /delete rolebindings\/readers/);
  expect(await cluster.ok("auth can-i list pods --as jane")).toContain("yes");
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
  await using cluster = await broken(["apply", "-f", session.file("hook.json", JSON.stringify(hook))]);
  await cluster.undo("why deploy/web", /create validatingwebhookconfigurations\/blocker/);
  await cluster.ok("run one --image=i");
});

test("a node that nobody may use", async () => {
  const node = (await session.ok("get nodes -o name")).trim().replace("node/", "");
  await using cluster = await broken(`taint node ${node} closed=yes:NoSchedule`);
  await cluster.undo("why deploy/web", /update nodes\/\S+ .*spec\.taints/);
  expect(await cluster.ok(`get node ${node} -o jsonpath={.spec.taints}`)).not.toContain("closed");
});

test("a rollout that never becomes ready, and its story", async () => {
  await using cluster = await broken(patch("deploy web", template({ image: "web:2", command: ["false"] })));
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
  await using cluster = await broken(
    ["create", "-f", session.file("widget.json", JSON.stringify(widget))],
    "delete customresourcedefinition widgets.example.com",
  );
  await cluster.undo("why widgets/one", /delete customresourcedefinitions\/widgets\.example\.com/);
  await vi.waitFor(() => cluster.ok("undelete widgets --since=1h"), { timeout: 30_000 });
  expect(await cluster.ok("get widget one -o jsonpath={.spec.size}")).toBe("3");
});
