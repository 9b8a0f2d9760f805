import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { runRemoteCtl } from "../../ctl/streams/remote-session.suite.ts";
import { scheduler } from "../../scheduler/wire.ts";
import { nodeOptionsDefault } from "../../simulation/node.ts";
import { createSimulatedNodes } from "../../simulation/wire.ts";
import { orch } from "../../vocabulary/orch.ts";
import { readControllerNames } from "../controllers.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { nodesFlags } from "../flags/simulation-flags.ts";
import { issueAuthority, issueClient } from "../pki/issue.ts";
import { type ApiServer, openApiServer } from "../programs/apiserver.ts";
import { openControllerManager } from "../programs/controller-manager.ts";
import { openAgentsApart } from "./agents-apart.ts";

/** A server that proves itself to the agents by certificates, and simulated nodes that answer no other, in the orch vocabulary. */
let home: string;
let server: ApiServer;
let agents: Awaited<ReturnType<typeof openAgentsApart>>;
let manager: Awaited<ReturnType<typeof openControllerManager>>;
const config = () => join(home, "config");

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "orch-apart-"));
  const write = (name: string, text: string) => {
    writeFileSync(join(home, name), text, { mode: 0o600 });
    return join(home, name);
  };
  const authority = issueAuthority("agents-clients", systemClock);
  const identity = issueClient(authority, { commonName: "apiserver", organizations: [] }, systemClock);
  const [cert, key] = [write("client.crt", identity.certificate), write("client.key", identity.key)];
  const clientCaFile = write("clients-ca.crt", authority.certificate);
  const args = [
    "--store=memory",
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${join(home, "certs")}`,
    `--data-dir=${join(home, "data")}`,
    `--token-auth-file=${write("tokens.csv", 'admin-token,root,1,"system:masters"\n')}`,
    "--disable-admission-plugins=ServiceAccount",
    "--proxy-local-targets=allow",
    `--orchlet-client-certificate=${cert}`,
    `--orchlet-client-key=${key}`,
    // The certificate of the agents is not from here: their nodes say so.
    `--orchlet-certificate-authority=${clientCaFile}`,
    `--proxy-client-cert-file=${cert}`,
    `--proxy-client-key-file=${key}`,
  ];
  server = await openApiServer({ flags: parseFlags(apiserverFlags, args).values, clock: systemClock, log: silentLog });
  const cluster = { name: "c", cluster: { server: server.url, "insecure-skip-tls-verify": true } };
  const users = [{ name: "u", user: { token: "admin-token" } }];
  const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
  const file = { apiVersion: "v1", kind: "Config", clusters: [cluster], users, contexts, "current-context": "x" };
  write("config", JSON.stringify(file));
  // What ctl keeps of discovery does not have metrics yet.
  await ctl("get nodes");
  agents = await openAgentsApart({ address: "127.0.0.1", port: 0, clientCaFile, vocabulary: orch, log: silentLog });
  const options = { ...nodeOptionsDefault, count: 2, agent: agents.agent };
  const { values } = parseFlags(nodesFlags, [
    `--kubeconfig=${config()}`,
    "--secure-port=0",
    "--horizontal-pod-autoscaler-sync-period=1s",
    // Otherwise the usage of pods that have just started does not count for half a minute.
    "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
  ]);
  manager = await openControllerManager(
    { ...values, controllers: [] },
    {
      log: silentLog,
      chosen: [
        ...readControllerNames(["deployment", "replicaset", "nodelifecycle", "horizontalpodautoscaling"]),
        scheduler,
        createSimulatedNodes(options, agents.served),
      ],
    },
  );
}, 60_000);
afterAll(async () => {
  await agents?.close();
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

const ctl = async (line: string, more: Partial<Parameters<typeof runRemoteCtl>[1]> = {}) => {
  const { code, out, err } = await runRemoteCtl(line, { config: config(), cwd: home, program: "ctl", ...more });
  return { code, out: String(out), err };
};
const soon = { timeout: 150_000, interval: 200 };

test("a server with a certificate of the agents' authority reaches logs, commands, files and ports of nodes apart", async () => {
  await ctl(
    "run p --image=i --annotations=simulation.orch.io/logs=hello --annotations=simulation.orch.io/log-every=1s",
  );
  await expect.poll(async () => (await ctl("get pod p -o jsonpath={.status.phase}")).out, soon).toBe("Running");
  expect((await ctl("logs p --tail=1")).out).toBe("hello\n");
  expect(await ctl("exec p -- echo there")).toEqual({ code: 0, out: "there\n", err: "" });
  writeFileSync(join(home, "data.txt"), "some data\n");
  expect(await ctl("cp data.txt p:/tmp/data.txt")).toMatchObject({ code: 0 });
  expect(await ctl("cp p:/tmp/data.txt back.txt")).toMatchObject({ code: 0 });
  expect(readFileSync(join(home, "back.txt"), "utf8")).toBe("some data\n");
  const stop = new AbortController();
  const stopAt = (pattern: RegExp) => (text: string) => void (pattern.test(text) && stop.abort());
  expect((await ctl("attach p", { signal: stop.signal, onOut: stopAt(/hello\n/) })).out).toContain("hello\n");
});

test("port-forward reaches a pod on nodes apart", async () => {
  const stop = new AbortController();
  let shown = "";
  const onOut = (text: string) => {
    shown = text;
  };
  const forwarding = ctl("port-forward p :9000", { signal: stop.signal, onOut });
  const port = () => /127\.0\.0\.1:(\d+) -> 9000\n/.exec(shown)?.[1];
  await expect.poll(port, soon).toBeDefined();
  const socket = connect(Number(port()), "127.0.0.1");
  socket.write("ping");
  for await (const chunk of socket) {
    expect(String(chunk)).toBe("ping");
    break;
  }
  socket.destroy();
  stop.abort();
  await forwarding;
});

test("a client without such a certificate is not answered", async () => {
  const asked = new Promise((resolve, reject) => {
    const { address, port } = agents.agent;
    request({ host: address, port, path: "/apis", rejectUnauthorized: false }, resolve).on("error", reject).end();
  });
  await expect(asked).rejects.toThrow();
});

test("the server serves the metrics of nodes apart, for ctl top and the autoscaler, until they stop", async () => {
  await ctl("create deployment web --image=i --replicas=2");
  await ctl("set resources deployment web --requests=cpu=200m,memory=128Mi");
  await ctl("annotate deployment web simulation.orch.io/cpu-usage=100%");
  await ctl("rollout status deployment/web");
  const usage = async () => (await ctl("top pods -l app=web --no-headers")).out;
  await expect.poll(usage, soon).toMatch(/^(web-\S+ +200m +64Mi *\n){2}$/);
  expect((await ctl("top nodes")).out).toMatch(/^NAME +CPU\(cores\) .*\nnode-0 +\d+m +\d+% .*\nnode-1 +\d+m .*\n$/);
  expect((await ctl("top pod none")).err).toContain('pods.metrics.orch.io "none" not found');
  expect((await ctl("get --raw /apis/metrics.orch.io/v1beta1/namespaces/other/pods")).out).toContain('"items":[]');
  await ctl("autoscale deployment web --min=1 --max=4 --cpu-percent=50");
  await expect.poll(async () => (await ctl("get deployment web -o jsonpath={.spec.replicas}")).out, soon).toBe("4");
  await manager.stop();
  expect((await ctl("get apiservice v1beta1.metrics.orch.io")).err).toContain("not found");
});
