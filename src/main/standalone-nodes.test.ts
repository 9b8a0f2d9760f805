import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags/parse.ts";
import { silentLog } from "../base/log.ts";
import { scheduler } from "../scheduler/wire.ts";
import { nodeOptionsDefault } from "../simulation/node.ts";
import { createSimulatedNodes } from "../simulation/wire.ts";
import { openControllerManager } from "./controller-manager.ts";
import { nodesFlags, schedulerFlags } from "./flags/simulation-flags.ts";
import { createServer } from "./library.ts";

test("a scheduler and simulated nodes of their own run the pods of a server over HTTPS", async () => {
  await using server = await createServer({ controllers: ["nodelifecycle"], vocabulary: "kubernetes" });
  const home = mkdtempSync(join(tmpdir(), "orch-nodes-"));
  const config = join(home, "config");
  writeFileSync(config, (await server.clientConfig()).text, { mode: 0o600 });
  const args = [`--kubeconfig=${config}`, "--vocabulary=kubernetes", "--secure-port=0"];
  const open = [
    { values: parseFlags(schedulerFlags, args).values, controllers: [scheduler] },
    {
      values: parseFlags(nodesFlags, args).values,
      controllers: [createSimulatedNodes({ ...nodeOptionsDefault, count: 2 })],
    },
  ].map(({ values, controllers }) =>
    openControllerManager({ ...values, controllers: [] }, silentLog, systemClock, controllers),
  );
  try {
    const pods = "/api/v1/namespaces/default/pods";
    const body = JSON.stringify({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } });
    const made = await server.fetch(pods, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect(made.status).toBe(201);
    const phase = async () =>
      ((await (await server.fetch(`${pods}/p`)).json()) as { status: { phase: string } }).status.phase;
    await expect.poll(phase, { timeout: 40_000 }).toBe("Running");
  } finally {
    for (const manager of await Promise.all(open)) await manager.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
