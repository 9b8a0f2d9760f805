import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { controllerManagerFlags } from "../flags/controller-manager-flags.ts";
import { createServer, type OrchServer } from "../library.ts";
import { openControllerManager } from "./controller-manager.ts";

let folder = "";
let server: OrchServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "manager-"));
  server = await createServer({
    controllers: false,
    authorization: "RBAC",
    tokens: { admin: { name: "root", groups: ["system:masters"] }, guest: { name: "guest" } },
  });
  await writeFile(join(folder, "admin.conf"), (await server.clientConfig()).text, { mode: 0o600 });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const open = (...args: string[]) => {
  const own = [`--kubeconfig=${join(folder, "admin.conf")}`, "--secure-port=0", "--bind-address=127.0.0.1"];
  const times = [
    "--leader-elect-lease-duration=2s",
    "--leader-elect-renew-deadline=1s",
    "--leader-elect-retry-period=50ms",
  ];
  return openControllerManager(parseFlags(controllerManagerFlags, [...own, ...times, ...args]).values, {
    log: silentLog,
  });
};
/** Who leads goes on to lead, also on a busy machine. */
const patient = ["--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s"];

async function until(path: string): Promise<void> {
  while (!(await server.fetch(path)).ok) await new Promise((resolve) => setTimeout(resolve, 10));
}
async function createNamespace(name: string): Promise<void> {
  const headers = { "content-type": "application/json" };
  await server.fetch("/api/v1/namespaces", { method: "POST", headers, body: JSON.stringify({ metadata: { name } }) });
}

test("works over HTTPS with its own accounts, and releases its lease when it stops", async () => {
  const [one, two] = [
    await open("--controllers=serviceaccount", "--use-service-account-credentials", ...patient),
    await open("--controllers=serviceaccount", ...patient),
  ];
  await until("/api/v1/namespaces/default/serviceaccounts/default");
  await until("/api/v1/namespaces/orch-system/serviceaccounts/service-account-controller");
  await one.stop();
  await createNamespace("shop");
  await until("/api/v1/namespaces/shop/serviceaccounts/default");
  await two.stop();
});

test("a leader that loses its lease ends, and writes nothing more", async () => {
  const one = await open("--controllers=serviceaccount");
  await until("/api/v1/namespaces/default/serviceaccounts/default");
  const headers = { "content-type": "application/merge-patch+json" };
  const spec = {
    holderIdentity: "another",
    renewTime: new Date(Date.now() + 60_000).toISOString().replace("Z", "000Z"),
  };
  const lease = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager";
  // Its own renewals may come in between.
  const steal = async () => {
    await server.fetch(lease, { method: "PATCH", headers, body: JSON.stringify({ spec }) });
    const held = (await (await server.fetch(lease)).json()) as { spec: { holderIdentity: string } };
    return held.spec.holderIdentity;
  };
  await expect.poll(steal).toBe("another");
  await expect(one.ended).rejects.toThrow();
  await createNamespace("late");
  await server.fetch("/api/v1/namespaces/default/serviceaccounts/default", { method: "DELETE" });
  const two = await open("--controllers=root-ca-cert-publisher", "--leader-elect=false"); // a witness that time has passed
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await server.fetch("/api/v1/namespaces/late/serviceaccounts/default")).status).toBe(404);
  expect((await server.fetch("/api/v1/namespaces/default/serviceaccounts/default")).status).toBe(404);
  await two.stop();
  await one.stop();
});

test("flags under which two managers could lead are refused before anything is opened", async () => {
  await expect(open("--leader-elect-renew-deadline=2s")).rejects.toThrow(
    "--leader-elect: the lease duration (2000 ms) must be longer than the renew deadline (2000 ms)",
  );
  await expect(open("--leader-elect-resource-name=")).rejects.toThrow(/--leader-elect: the name of the lease ""/);
});

test("of two managers only the leader writes", async () => {
  const [one, two] = [
    await open("--controllers=serviceaccount", ...patient),
    await open("--controllers=serviceaccount", ...patient),
  ];
  await until("/api/v1/namespaces/default/serviceaccounts/default");
  for (const name of ["a", "b", "c"]) await createNamespace(name);
  for (const name of ["a", "b", "c"]) await until(`/api/v1/namespaces/${name}/serviceaccounts/default`);
  const identities = new Set<string>();
  const lease = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager";
  for (let reads = 0; reads < 20; reads++) {
    const { spec } = (await (await server.fetch(lease)).json()) as { spec: { holderIdentity: string } };
    identities.add(spec.holderIdentity);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(identities.size).toBe(1);
  await Promise.all([one.stop(), two.stop()]);
});

function get(port: number, path: string, token?: string): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += String(chunk);
      });
      response.on("end", () => resolve({ code: response.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

test("serves its health to every caller, and its metrics to callers with the right", async () => {
  const manager = await open("--secure-port=0", "--controllers=serviceaccount", "--leader-elect=false");
  expect(manager.port).toBe(0);
  await manager.stop();
  const shown = await open("--controllers=serviceaccount", "--leader-elect=false", `--secure-port=${await freePort()}`);
  await until("/api/v1/namespaces/default/serviceaccounts/default");
  expect(await get(shown.port, "/healthz")).toEqual({ code: 200, text: "ok" });
  expect((await get(shown.port, "/metrics")).code).toBe(401);
  expect((await get(shown.port, "/metrics", "wrong")).code).toBe(401);
  expect((await get(shown.port, "/metrics", "guest")).code).toBe(403);
  expect((await get(shown.port, "/metrics", "admin")).text).toMatch(
    /workqueue_adds_total\{name="serviceaccount"\} [1-9]/,
  );
  expect((await get(shown.port, "/configz", "admin")).text).toContain('"serviceaccount"');
  await shown.stop();
});

async function freePort(): Promise<number> {
  const { createServer: listen } = await import("node:net");
  return new Promise((resolve) => {
    const probe = listen().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

test("reports unknown controllers", async () => {
  await expect(open("--controllers=route")).rejects.toThrow("route is not there");
  await expect(open("--controllers=nobody")).rejects.toThrow('there is no controller "nobody"');
});

test("names the release of its server in every request but the one that asks for it", async () => {
  const today = await createServer({ controllers: false, emulatedVersion: "1.35", journal: true });
  try {
    await writeFile(join(folder, "admin.conf"), (await today.clientConfig()).text, { mode: 0o600 });
    const manager = await open("--controllers=serviceaccount", "--use-service-account-credentials");
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await expect.poll(async () => (await today.fetch(account)).status).toBe(200);
    await manager.stop();
    const own = today.journal.requests().filter(({ userAgent }) => userAgent.startsWith("orch-controller-manager/"));
    expect(own.map(({ resource }) => resource)).toEqual(expect.arrayContaining(["leases", "serviceaccounts"]));
    expect(new Set(own.filter(({ path }) => path !== "/version").map(({ userAgent }) => userAgent))).toEqual(
      new Set(["orch-controller-manager/v1.35.8"]),
    );
  } finally {
    await today.close();
  }
});

test("works at the level of its server: a job of level 1.35 comes to its end", async () => {
  const today = await createServer({ controllers: false, emulatedVersion: "1.35" });
  try {
    await writeFile(join(folder, "admin.conf"), (await today.clientConfig()).text, { mode: 0o600 });
    const send = async (method: string, path: string, body: unknown, type = "application/json") => {
      const answer = await today.fetch(path, { method, headers: { "content-type": type }, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    };
    const manager = await open("--controllers=serviceaccount,job", "--leader-elect=false");
    const containers = [{ name: "main", image: "example" }];
    const template = { spec: { restartPolicy: "Never", containers } };
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    await send("POST", jobs, { metadata: { name: "once" }, spec: { template } });
    const pods = "/api/v1/namespaces/default/pods";
    const read = async (path: string) => (await (await today.fetch(path)).json()) as Record<string, unknown>;
    const podNames = async () =>
      ((await read(pods))["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    await expect.poll(podNames).toHaveLength(1);
    const [name] = await podNames();
    await send("PATCH", `${pods}/${name}/status`, { status: { phase: "Succeeded" } }, "application/merge-patch+json");
    const conditions = async () => {
      const { status } = (await read(`${jobs}/once`)) as { status?: { conditions?: { type: string }[] } };
      return (status?.conditions ?? []).map(({ type }) => type);
    };
    await expect.poll(conditions).toEqual(["SuccessCriteriaMet", "Complete"]);
    const metrics = await (await today.fetch("/metrics")).text();
    const lists = metrics.match(/^apiserver_request_total\{verb="LIST"[^}]*resource="(jobs|serviceaccounts)".*$/gm);
    expect(lists, "its informers list by watching").toBe(null);
    await manager.stop();
  } finally {
    await today.close();
  }
});
