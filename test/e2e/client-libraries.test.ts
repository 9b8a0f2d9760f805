import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { describeWith, pythonClient, pythonPath, run } from "./programs.ts";

let server: OrchServer;
let folder = "";
let configPath = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-clients-"));
  server = await createServer({ controllers: false, vocabulary: "kubernetes" });
  configPath = join(folder, "config");
  await writeFile(configPath, (await server.clientConfig()).text, { mode: 0o600 });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const configMap = (name: string, text = "hello") => ({ metadata: { name }, data: { text } });
async function create(namespace: string, name: string): Promise<void> {
  const answer = await server.fetch(`/api/v1/namespaces/${namespace}/configmaps`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(configMap(name)),
  });
  expect(answer.status).toBe(201);
}
async function createNamespace(name: string): Promise<void> {
  const answer = await server.fetch("/api/v1/namespaces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
  expect(answer.status).toBe(201);
}

describe("the client library for Node", () => {
  test("lists, creates and watches", async () => {
    const { CoreV1Api, KubeConfig, Watch } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromFile(configPath);
    const api = config.makeApiClient(CoreV1Api);
    await createNamespace("node");
    await create("node", "before");
    const list = await api.listNamespacedConfigMap({ namespace: "node" });
    expect(list.items.map((item) => item.metadata?.name)).toEqual(["before"]);

    const events: string[] = [];
    let wake = () => {};
    const two = new Promise<void>((done) => {
      wake = done;
    });
    const controller = await new Watch(config).watch(
      "/api/v1/namespaces/node/configmaps",
      { resourceVersion: list.metadata?.resourceVersion },
      (type: string, object: { metadata: { name: string } }) => {
        events.push(`${type} ${object.metadata.name}`);
        if (events.length === 2) wake();
      },
      () => {},
    );
    try {
      await api.createNamespacedConfigMap({ namespace: "node", body: configMap("after") });
      await api.deleteNamespacedConfigMap({ namespace: "node", name: "before" });
      await two;
    } finally {
      controller.abort();
    }
    expect(events).toEqual(["ADDED after", "DELETED before"]);
  });
});

describe("an informer of the client library for Node", () => {
  test("gets existing objects and every later change", async () => {
    const { CoreV1Api, KubeConfig, makeInformer } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    config.loadFromFile(configPath);
    const api = config.makeApiClient(CoreV1Api);
    await createNamespace("informed");
    await create("informed", "one");
    const list = () => api.listNamespacedConfigMap({ namespace: "informed" });
    const informer = makeInformer(config, "/api/v1/namespaces/informed/configmaps", list);
    const seen: string[] = [];
    let wake = () => {};
    for (const type of ["add", "update", "delete"] as const) {
      informer.on(type, ({ metadata }) => {
        seen.push(`${type} ${metadata?.name}`);
        wake();
      });
    }
    const until = async (last: string) => {
      while (seen.at(-1) !== last) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    await informer.start();
    try {
      await until("add one");
      await api.replaceNamespacedConfigMap({ namespace: "informed", name: "one", body: configMap("one", "bye") });
      await until("update one");
      await api.deleteNamespacedConfigMap({ namespace: "informed", name: "one" });
      await until("delete one");
    } finally {
      await informer.stop();
    }
    expect(seen).toEqual(["add one", "update one", "delete one"]);
  });
});

const listing = `
import sys
from kubernetes import client, config, watch
config.load_kube_config(sys.argv[1])
api = client.CoreV1Api()
listed = api.list_namespaced_config_map("python")
print("listed", [item.metadata.name for item in listed.items])
body = client.V1ConfigMap(metadata=client.V1ObjectMeta(name="after"), data={"text": "hello"})
api.create_namespaced_config_map("python", body)
api.delete_namespaced_config_map("before", "python")
seen = watch.Watch()
count = 0
for event in seen.stream(api.list_namespaced_config_map, "python", resource_version=listed.metadata.resource_version, timeout_seconds=20):
    print(event["type"], event["object"].metadata.name)
    count += 1
    if count == 2:
        seen.stop()
`;

const changing = `
import sys
from kubernetes import client, config, dynamic, utils
config.load_kube_config(sys.argv[1])
core, apps, ns = client.CoreV1Api(), client.AppsV1Api(), "python-changes"
for i in range(5):
    core.create_namespaced_config_map(ns, {"metadata": {"name": f"c{i}", "labels": {"made": "here"}}})
names, token = [], None
while token != "":
    page = core.list_namespaced_config_map(ns, limit=2, _continue=token, label_selector="made=here")
    names += [item.metadata.name for item in page.items]
    token = page.metadata._continue or ""
print("paged", names)
template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
utils.create_from_dict(client.ApiClient(), {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": ns}, "spec": spec})
print("merged", apps.patch_namespaced_deployment("d", ns, {"spec": {"replicas": 3}}).spec.replicas)
print("patched", apps.patch_namespaced_deployment("d", ns, [{"op": "replace", "path": "/spec/replicas", "value": 4}]).spec.replicas)
print("scaled", apps.patch_namespaced_deployment_scale("d", ns, {"spec": {"replicas": 5}}).spec.replicas)
print("deleted", apps.delete_namespaced_deployment("d", ns, body=client.V1DeleteOptions(propagation_policy="Background")).status)
print("all deleted", core.delete_collection_namespaced_config_map(ns, label_selector="made=here").status)
maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
maps.create(body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "found"}}, namespace=ns)
print("watched", [(event["type"], event["object"].metadata.name) for event in maps.watch(namespace=ns, timeout=1)])
`;

describeWith(pythonClient, "the client library for Python", () => {
  test("lists, creates and watches", async () => {
    await createNamespace("python");
    await create("python", "before");
    const { code, stdout, stderr } = await run(pythonPath, ["-c", listing, configPath]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout.trim().split("\n")).toEqual(["listed ['before']", "ADDED after", "DELETED before"]);
  });

  test("pages, patches, scales, deletes, and discovers kinds", async () => {
    await createNamespace("python-changes");
    const { code, stdout, stderr } = await run(pythonPath, ["-c", changing, configPath]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout.trim().split("\n")).toEqual([
      "paged ['c0', 'c1', 'c2', 'c3', 'c4']",
      "merged 3",
      "patched 4",
      "scaled 5",
      "deleted Success",
      "all deleted Success",
      "watched [('ADDED', 'found')]",
    ]);
  });
});
