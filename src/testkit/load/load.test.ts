import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createServer, type OrchServer } from "../../main/library.ts";

const definition = (apiVersion: string) => ({
  apiVersion,
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com", uid: "of-another-server", resourceVersion: "7" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});
const toy = (name: string) => ({ apiVersion: "example.com/v1", kind: "Toy", metadata: { name, namespace: "shop" } });
const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "shop" },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const namesAt = async (server: OrchServer, path: string) =>
  ((await (await server.fetch(path)).json()) as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );

for (const [vocabulary, group] of [
  ["orch", "apiextensions.orch.io/v1"],
  ["kubernetes", "apiextensions.k8s.io/v1"],
] as const)
  test(`objects that need each other are loaded in any order, with the names of ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary });
    // The pod needs the account that a controller makes for the new namespace.
    expect(await server.load([toy("ball"), pod, definition(group), shop])).toBe(4);
    expect(await namesAt(server, "/apis/example.com/v1/toys")).toEqual(["ball"]);
    expect(await namesAt(server, "/api/v1/namespaces/shop/pods")).toEqual(["p"]);
    expect(await server.load([toy("ball"), shop])).toBe(2); // a second time changes nothing
  });

test("a folder is read with its subfolders: documents, lists, typed lists without kinds, and logs passed over", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-load-"));
  await mkdir(join(folder, "shop"));
  await writeFile(
    join(folder, "a.yaml"),
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n---\n# only this\n`,
  );
  const map = (name: string) => ({ metadata: { name, namespace: "shop" } });
  const list = { apiVersion: "v1", kind: "ConfigMapList", items: [map("b"), map("c")] };
  await writeFile(join(folder, "shop", "maps.json"), JSON.stringify(list, undefined, 4));
  await writeFile(
    join(folder, "shop", "pods.json"),
    JSON.stringify({ apiVersion: "v1", kind: "PodList", items: null }),
  );
  await writeFile(join(folder, "shop", "logs.txt"), "neither: [yaml");
  await writeFile(join(folder, "z.yml"), `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify(shop)}\n`);
  await using server = await createServer({ controllers: false });
  expect(await server.load(folder)).toBe(4);
  expect(await namesAt(server, "/api/v1/namespaces/default/configmaps")).toEqual(["a"]);
  expect(await namesAt(server, "/api/v1/namespaces/shop/configmaps")).toEqual(["b", "c"]);
  await rm(folder, { recursive: true });
});

test("what is refused is named with its file and the reason", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-load-"));
  const path = join(folder, "pod.yaml");
  await writeFile(path, `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}`);
  await using server = await createServer({ controllers: false });
  await expect(server.load(path)).rejects.toThrow(`1 object could not be loaded:\nPod p (${path}): Pod "p" is invalid`);
  const foreign = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "r" } };
  await expect(server.load([foreign])).rejects.toThrow('of the vocabulary "kubernetes", and the server speaks "orch"');
  await expect(server.load([toy("x")])).rejects.toThrow("the server has no kind Toy of example.com/v1");
  await writeFile(path, "a: [");
  await expect(server.load(path)).rejects.toThrow(`${path} cannot be read`);
  await expect(server.load(JSON.parse("[7]"))).rejects.toThrow("an object must be a mapping");
  const empty = await mkdtemp(join(tmpdir(), "orch-load-"));
  await expect(server.load(empty)).rejects.toThrow("has no files that end with .json");
  await rm(folder, { recursive: true });
  await rm(empty, { recursive: true });
});
