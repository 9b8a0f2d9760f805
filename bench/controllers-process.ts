/** Controllers at work inside a server in memory, in a process of its own: how long each task takes and what it costs. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { makeRequest } from "../src/base/certificate.suite.ts";
import { createServer, type OrchServer } from "../src/main/library.ts";
import { benchPod } from "./pod.ts";

export interface TaskResult {
  readonly ms: number;
  readonly cpuMs: number;
  /** Writes that the server answered meanwhile: by "POST pods". */
  readonly writes: Readonly<Record<string, number>>;
  /** Of the memory task: bytes of the heap and of buffers, and bytes of the objects as JSON. */
  readonly memoryBytes?: number;
  readonly jsonBytes?: number;
}

type Task = (server: OrchServer, count: number, nodes: number) => Promise<Measure>;
/** What is measured: it resolves when the task is done. */
type Measure = () => Promise<void>;

/** Arguments: task, count, and "none" for a server without controllers or a number of simulated nodes. Prints a TaskResult. */
export async function runControllers([name = "", count = "", which = ""]: readonly string[]): Promise<void> {
  const task = tasks[name];
  if (task === undefined) throw new Error(`there is no task ${name}`);
  // The same plugins in both: with accounts, pods become larger.
  const controllers = which === "none" ? false : (["*"] as const);
  const nodes = Number(which) || 0;
  const server = await createServer({ controllers, nodes, disableAdmissionPlugins: [] });
  const measure = await task(server, Number(count), nodes);
  const before = await writesOf(server);
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await measure();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const writes = difference(before, await writesOf(server));
  const memory =
    name === "memory" ? { memoryBytes: usedBytes(), jsonBytes: await podBytes(server, Number(count)) } : {};
  const result: TaskResult = { ms, cpuMs: (user + system) / 1000, writes, ...memory };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await server.close();
}

const tasks: Readonly<Record<string, Task>> = {
  /** A Deployment is created and all its pods are there. */
  async deployment(server, count) {
    const labels = { app: "bench" };
    const { spec } = benchPod("x", 0) as { spec: object };
    const template = { metadata: { labels }, spec: { ...spec, nodeName: undefined } };
    const body = { metadata: { name: "web" }, spec: { replicas: count, selector: { matchLabels: labels }, template } };
    await untilThere(server, "/api/v1/namespaces/default/serviceaccounts/default");
    return async () => {
      await send(server, "POST", "/apis/apps/v1/namespaces/default/deployments", body);
      await untilCount(server, "/api/v1/namespaces/default/pods", count);
    };
  },
  /** The same pods without controllers: what the API calls alone cost. */
  async pods(server, count) {
    const ownerReferences = [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web-1",
        uid: "u",
        controller: true,
        blockOwnerDeletion: true,
      },
    ];
    const { spec } = benchPod("x", 0) as { spec: object };
    const labels = { app: "bench", "pod-template-hash": "1" };
    await addAccount(server);
    const selector = { matchLabels: labels };
    const set = {
      metadata: { name: "web-1" },
      spec: { replicas: 0, selector, template: { metadata: { labels }, spec } },
    };
    const sets = "/apis/apps/v1/namespaces/default/replicasets";
    await send(server, "POST", sets, set);
    return async () => {
      await inParallel(count, async (at) => {
        const metadata = { generateName: "web-1-", labels, ownerReferences };
        await send(server, "POST", "/api/v1/namespaces/default/pods", {
          metadata,
          spec: { ...spec, nodeName: undefined },
        });
        // Controllers record an Event for each pod; after ten similar ones, further ones are counted in one Event.
        const involvedObject = { apiVersion: "apps/v1", kind: "ReplicaSet", namespace: "default", name: "web-1" };
        const event = {
          metadata: { name: `web-1.${at}` },
          involvedObject,
          reason: "SuccessfulCreate",
          message: `${at}`,
        };
        if (at < 25) await send(server, "POST", "/api/v1/namespaces/default/events", event);
        // As often as controllers do for so many pods.
        const status = { ...set, status: { replicas: at } };
        if (at % statusEvery === 0) await send(server, "PUT", `${sets}/web-1/status`, status);
      });
    };
  },
  /** A namespace with many objects is deleted and gone. */
  async namespace(server, count) {
    await send(server, "POST", "/api/v1/namespaces", { metadata: { name: "full" } });
    await fill(server, "full", count, {});
    return async () => {
      await send(server, "DELETE", "/api/v1/namespaces/full");
      await untilGone(server, "/api/v1/namespaces/full");
    };
  },
  /** An owner is deleted and so are all its dependents. */
  async collection(server, count) {
    const maps = "/api/v1/namespaces/default/configmaps";
    const owner = await send(server, "POST", maps, { metadata: { name: "owner" } });
    const { uid } = owner["metadata"] as { uid: string };
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    await fill(server, "default", count, { ownerReferences, labels: { of: "owner" } });
    return async () => {
      await send(server, "DELETE", `${maps}/owner`);
      await untilCount(server, `${maps}?labelSelector=of%3Downer&`, 0);
    };
  },
  /** Pods of a Service in a namespace with a quota become ready, and slices and the quota say so. */
  async service(server, count) {
    const labels = { app: "bench" };
    const inDefault = "/api/v1/namespaces/default";
    await untilThere(server, `${inDefault}/serviceaccounts/default`);
    const quota = { metadata: { name: "quota" }, spec: { hard: { pods: `${count}`, "requests.cpu": `${count}` } } };
    await send(server, "POST", `${inDefault}/resourcequotas`, quota);
    await send(server, "POST", `${inDefault}/services`, {
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    const slices = "/apis/discovery.orch.io/v1/namespaces/default/endpointslices";
    return async () => {
      await inParallel(count, async (at) => {
        // On a node that is not there it would be deleted soon.
        const spec = { ...(benchPod("x", 0) as { spec: object }).spec, nodeName: undefined };
        await send(server, "POST", `${inDefault}/pods`, { metadata: { name: `p${at}`, labels }, spec });
        const podIP = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
        const conditions = [{ type: "Ready", status: "True" }];
        const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
        await send(server, "PATCH", `${inDefault}/pods/p${at}/status`, { status }, "application/merge-patch+json");
      });
      const readyOf = async () => {
        const { items } = (await send(server, "GET", slices)) as {
          items: readonly { readonly endpoints?: unknown[] | null }[];
        };
        return items.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0);
      };
      const usedOf = async () => {
        const { status } = await send(server, "GET", `${inDefault}/resourcequotas/quota`);
        return Number((status as { used?: Record<string, string> } | undefined)?.used?.["pods"] ?? 0);
      };
      while ((await usedOf()) < count || (await readyOf()) < count) await pause(500);
    };
  },
  /** Requests of nodes for certificates are approved and signed. */
  async certificates(server, count) {
    const path = "/apis/certificates.orch.io/v1/certificatesigningrequests";
    const { pem } = makeRequest([
      ["2.5.4.10", "system:nodes"],
      ["2.5.4.3", "system:node:n1"],
    ]);
    const spec = {
      request: Buffer.from(pem).toString("base64"),
      signerName: "orch.io/orch-apiserver-client-orchlet",
      usages: ["digital signature", "key encipherment", "client auth"],
    };
    const as = server.fetchAs({ name: "system:node:n1", groups: ["system:nodes", "system:masters"] });
    return async () => {
      await inParallel(count, async (at) => {
        await send({ fetch: as }, "POST", path, { metadata: { name: `n${at}` }, spec });
      });
      for (let next = 0; next < count; ) {
        const { status } = await send(server, "GET", `${path}/n${next}`);
        if ((status as { certificate?: string } | undefined)?.certificate !== undefined) next++;
        else await pause();
      }
    };
  },
  /** All nodes are registered and ready. */
  async nodes(server, count) {
    return () => untilNodesReady(server, count);
  },
  /** Pods that wait are bound and run; the nodes are ready before. */
  async running(server, count, nodes) {
    await untilThere(server, "/api/v1/namespaces/default/serviceaccounts/default");
    await untilNodesReady(server, nodes);
    return () => runPods(server, count);
  },
  /** Pods run, and nothing happens any more. */
  async idle(server, count, nodes) {
    await untilThere(server, "/api/v1/namespaces/default/serviceaccounts/default");
    await untilNodesReady(server, nodes);
    await runPods(server, count);
    await pause(idleSettleMs);
    return () => pause(idleMs);
  },
  /** Many pods are there, and controllers know them. */
  async memory(server, count) {
    await addAccount(server);
    return async () => {
      await inParallel(count, async (at) => {
        await send(server, "POST", "/api/v1/namespaces/default/pods", benchPod(`pod-${at}`, at));
      });
      await new Promise((done) => setTimeout(done, 3_000));
    };
  },
};

/** Until all that they caused is done, and for as long as is measured. */
const idleSettleMs = 10_000;
const idleMs = 60_000;

async function runPods(server: OrchServer, count: number): Promise<void> {
  const path = "/api/v1/namespaces/default/pods";
  const spec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "10m", memory: "16Mi" } } }] };
  await inParallel(count, async (at) => {
    await send(server, "POST", path, { metadata: { name: `p${at}` }, spec });
  });
  await untilCount(server, `${path}?fieldSelector=${encodeURIComponent("status.phase!=Running")}&`, 0);
}

/** All are registered, and no taint keeps pods away. */
async function untilNodesReady(server: OrchServer, count: number): Promise<void> {
  type Node = { readonly spec?: { readonly taints?: readonly unknown[] } };
  for (let next = 0; next < count; ) {
    const response = await server.fetch(`/api/v1/nodes/node-${next}`);
    const node = response.ok ? ((await response.json()) as Node) : undefined;
    if (node !== undefined && (node.spec?.taints ?? []).length === 0) next++;
    else await pause();
  }
}

const parallel = 32;
const statusEvery = 16;

/** Where no controller does. */
async function addAccount(server: OrchServer): Promise<void> {
  const metadata = { name: "default" };
  await send(server, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata }).catch(() => undefined);
}

async function inParallel(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, one));
}

function fill(server: OrchServer, namespace: string, count: number, metadata: object): Promise<void> {
  return inParallel(count, async (at) => {
    const body = { metadata: { ...metadata, name: `m${at}` }, data: { text: "x".repeat(200) } };
    await send(server, "POST", `/api/v1/namespaces/${namespace}/configmaps`, body);
  });
}

async function send(
  server: Pick<OrchServer, "fetch">,
  method: string,
  path: string,
  body?: unknown,
  type = "application/json",
) {
  const response = await server.fetch(path, {
    method,
    headers: { "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const pause = (ms = 10) => new Promise<void>((done) => void setTimeout(done, ms));

async function untilThere(server: OrchServer, path: string): Promise<void> {
  while (!(await server.fetch(path)).ok) await pause();
}

async function untilGone(server: OrchServer, path: string): Promise<void> {
  while ((await server.fetch(path)).ok) await pause();
}

async function untilCount(server: OrchServer, path: string, count: number): Promise<void> {
  // With a selector a list does not say how many follow, but whether there is one.
  const at = path.endsWith("&") ? `${path}limit=1` : `${path}?limit=1`;
  for (;;) {
    const { items, metadata } = (await send(server, "GET", at)) as {
      items: unknown[];
      metadata: { remainingItemCount?: number };
    };
    if (items.length + (metadata.remainingItemCount ?? 0) === count) return;
    await pause();
  }
}

/** Of all writes by verb and resource, from the server's own counters. */
async function writesOf(server: OrchServer): Promise<Record<string, number>> {
  const writes: Record<string, number> = {};
  for (const line of (await (await server.fetch("/metrics")).text()).split("\n")) {
    const found = /^apiserver_request_total\{(.*)\} (\d+)/.exec(line);
    const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(found?.[1] ?? "")?.[1] ?? "";
    const verb = label("verb");
    if (found === null || ["GET", "LIST", "WATCH"].includes(verb)) continue;
    const name = `${verb} ${label("resource")}${label("subresource") && `/${label("subresource")}`}`;
    writes[name] = (writes[name] ?? 0) + Number(found[2]);
  }
  return writes;
}

function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, count]) => {
      const more = count - (before[name] ?? 0);
      return more > 0 ? [[name, more]] : [];
    }),
  );
}

/** After a collection: what is still needed. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let times = 0; times < 3; times++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function podBytes(server: OrchServer, count: number): Promise<number> {
  const text = await (await server.fetch("/api/v1/namespaces/default/pods/pod-0")).text();
  return Buffer.byteLength(text) * count;
}
