/** `orch up --load` and `orch up --from --read-only`: a server that begins with the manifests or with the dump of a folder. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shownCommand } from "./page-blocks.ts";
import { run } from "./programs.ts";

const timeoutMs = 60_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-up-load-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com", uid: "d", creationTimestamp: "2020-01-01T00:00:00Z" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const seen = {
  uid: "a2d7c1d2-0000-4000-8000-000000000001",
  creationTimestamp: "2020-02-03T04:05:06Z",
  resourceVersion: "99",
};
const toy = { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "ball", namespace: "shop", ...seen } };
const pod = {
  metadata: { name: "web-1", namespace: "shop", ...seen, ownerReferences: [] },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
  status: { phase: "Running", podIP: "10.0.0.7" },
};

/** Runs commands of a shell in a folder while the server of the command `up` runs there. */
async function whileUp(where: string, up: string, commands: string) {
  const data = await mkdtemp(join(folder, "data-"));
  const script = `
    cd ${where}
    flags="--vocabulary=kubernetes --secure-port=0 --data-dir=${data} --ready-file=${data}/ready"
    orch() { exec node ${resolve("bin/orch")} "$@" $flags; }
    ctl() { node ${resolve("bin/ctl")} "$@" 2>&1; }
    (
      exec >${data}/out 2>&1
      ${up}
    ) &
    up=$!
    for at in $(seq 300); do [ -e ${data}/ready ] && break; kill -0 $up 2>/dev/null || break; sleep 0.1; done
    export KUBECONFIG=${data}/admin.conf
    ${commands}
    kill $up 2>/dev/null; wait $up
    cat ${data}/out >&2`;
  return run("bash", ["-c", script], { timeoutMs });
}

const page = "docs/testing.md";

test("--load applies a folder at the start, in an order that works", async () => {
  const where = await mkdtemp(join(folder, "load-"));
  const manifests = join(where, "config/crd");
  await mkdir(manifests, { recursive: true });
  await writeFile(join(manifests, "1.json"), JSON.stringify({ ...toy, metadata: { name: "ball", namespace: "shop" } }));
  await writeFile(join(manifests, "2.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n");
  await writeFile(join(manifests, "3.json"), JSON.stringify(definition));
  const up = shownCommand(page, "orch up --load");
  const { stdout } = await whileUp(where, up, "ctl get toys -n shop -o name; ctl get ns shop -o name");
  expect(stdout).toBe("toy.example.com/ball\nnamespace/shop\n");
});

test("--from shows a dump with the status that each object has, and nothing can be changed", async () => {
  const where = await mkdtemp(join(folder, "from-"));
  const dump = join(where, "dump");
  await mkdir(join(dump, "shop"), { recursive: true });
  const list = (kind: string, items: unknown) => JSON.stringify({ apiVersion: "v1", kind, items });
  await writeFile(join(dump, "shop", "pods.json"), list("PodList", [pod]));
  await writeFile(join(dump, "shop", "logs.txt"), "no: [yaml");
  await writeFile(join(dump, "shop", "events.json"), list("EventList", null));
  const space = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "default", labels: { team: "blue" }, ...seen },
    status: { phase: "Active" },
  };
  const strange = { apiVersion: "strange.example/v7", kind: "Strange", metadata: { name: "x" } };
  await writeFile(join(dump, "all.json"), list("List", [toy, space, strange, definition]));
  const wrong = { metadata: { name: "web-2", namespace: "shop" }, status: { ...pod.status, podIP: "not an address" } };
  await writeFile(join(dump, "pod.json"), JSON.stringify({ ...pod, apiVersion: "v1", kind: "Pod", ...wrong }));
  const { stdout, stderr } = await whileUp(
    where,
    shownCommand(page, "orch up --from"),
    `ctl get pods -n shop -o jsonpath='{.items[0].status.phase} {.items[0].status.podIP} {.items[0].spec.nodeName}{"\\n"}'
     ctl get ns default -o jsonpath='{.metadata.labels.team}{"\\n"}'
     ctl get toys -n shop -o name
     ctl auth can-i list pods
     ctl get pods -n shop -o name
     ctl delete pod web-1 -n shop
     ctl create ns x`,
  );
  const refused = (verb: string) => `this server is read-only (--read-only), and does not ${verb} anything`;
  const pods = ["pod/web-1", "pod/web-2"];
  const shown = ["Running 10.0.0.7 n1", "blue", "toy.example.com/ball", "yes", ...pods];
  expect(stdout.split("\n").slice(0, shown.length)).toEqual(shown);
  expect(stdout).toContain(refused("delete"));
  expect(stdout).toContain(refused("create"));
  expect(stderr).toContain("the server has no kind Strange of strange.example/v7");
  // A status that the server refuses is left out, and named.
  expect(stderr).toContain("an object of the dump is shown without its status");
  expect(stderr).toMatch(/Pod shop\/web-2 .*pod\.json.*: /);
});

test("flags that contradict each other are refused by name", async () => {
  const out = async (...flags: string[]) => (await run("node", ["bin/orch", "up", ...flags], { timeoutMs })).stderr;
  const [alone, stored, loaded] = await Promise.all([
    out("--from=x"),
    out("--from=x", "--read-only", "--store=embedded"),
    out("--load=x", "--read-only"),
  ]);
  expect(alone).toContain("needs --read-only");
  expect(stored).toContain("--store must be memory");
  expect(loaded).toContain("--load: a server with --read-only takes no objects");
});
