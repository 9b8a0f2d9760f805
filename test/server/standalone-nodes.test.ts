import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { silentLog } from "../../src/base/log.ts";
import { runRemoteCtl } from "../../src/ctl/streams/remote-session.suite.ts";
import { nodesFlags, schedulerFlags } from "../../src/main/flags/simulation-flags.ts";
import { createServer } from "../../src/main/library.ts";
import { openAgentsApart } from "../../src/main/nodes/agents-apart.ts";
import { openControllerManager } from "../../src/main/programs/controller-manager.ts";
import { scheduler } from "../../src/scheduler/wire.ts";
import { nodeOptionsDefault } from "../../src/simulation/node.ts";
import { createSimulatedNodes } from "../../src/simulation/wire.ts";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";

test("a scheduler and simulated nodes of their own run the pods of a server over HTTPS, which reaches them for logs and commands", async () => {
  await using server = await createServer({
    controllers: ["nodelifecycle"],
    vocabulary: "kubernetes",
    disableAdmissionPlugins: ["ServiceAccount"],
    proxyLocalTargets: "allow",
  });
  const home = mkdtempSync(join(tmpdir(), "orch-nodes-"));
  const config = join(home, "config");
  writeFileSync(config, (await server.clientConfig()).text, { mode: 0o600 });
  const agents = await openAgentsApart({
    address: "127.0.0.1",
    port: 0,
    clientCaFile: "",
    vocabulary: kubernetes,
    log: silentLog,
  });
  const args = [`--kubeconfig=${config}`, "--secure-port=0"];
  const open = [
    { values: parseFlags(schedulerFlags, args).values, controllers: [scheduler] },
    {
      values: parseFlags(nodesFlags, args).values,
      controllers: [createSimulatedNodes({ ...nodeOptionsDefault, count: 2, agent: agents.agent }, agents.served)],
    },
  ].map(({ values, controllers }) =>
    openControllerManager({ ...values, controllers: [] }, { log: silentLog, chosen: controllers }),
  );
  try {
    const pods = "/api/v1/namespaces/default/pods";
    const annotations = { "simulation.orch.io/logs": "hello\n" };
    const body = JSON.stringify({
      metadata: { name: "p", annotations },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await server.settled(); // a pod waits a second for its account, which may be too short on a busy machine
    const made = await server.fetch(pods, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(made.status).toBe(201);
    const phase = async () =>
      ((await (await server.fetch(`${pods}/p`)).json()) as { status: { phase: string } }).status.phase;
    await expect.poll(phase).toBe("Running");
    expect(await (await server.fetch(`${pods}/p/log`)).text()).toBe("hello\n");
    const { out } = await runRemoteCtl(["exec", "p", "--", "echo", "there"], { config, cwd: home });
    expect(String(out)).toBe("there\n");
    const { status } = (await (await server.fetch("/api/v1/nodes/node-0")).json()) as { status: object };
    expect(status).toMatchObject({
      nodeInfo: { kubeletVersion: "v1.21.0-simulated", kubeProxyVersion: "v1.21.0-simulated" },
    });
  } finally {
    for (const manager of await Promise.all(open)) await manager.stop();
    await agents.close();
    rmSync(home, { recursive: true, force: true });
  }
});
