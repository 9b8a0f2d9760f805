/** A process with controllers as a pod has it: health, metrics and webhooks beside the work. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import { issueAuthority, issueServing } from "../../main/pki/issue.ts";
import { type Client, ConfigMap, connect, controller, runControllers } from "../orch-client.ts";

let server: OrchServer;
let client: Client;
beforeAll(async () => {
  server = await createServer({ controllers: false });
  client = await connect({ server });
});
afterAll(() => server.close());

const idle = controller({ for: ConfigMap, async reconcile() {} });
const any = { port: 0, host: "127.0.0.1" };
const ask = async (port: number | undefined, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return [answer.status, await answer.text()] as const;
};

test("health and metrics are answered while the controllers work, and the ports are closed with them", async () => {
  const running = runControllers({ client, controllers: [idle], health: any, metrics: any, log: silentLog });
  const { health, metrics } = await running.listening;
  await running.ready;
  expect(await ask(health, "/healthz")).toEqual([200, "ok\n"]);
  expect(await ask(health, "/readyz")).toEqual([200, "ok\n"]);
  expect((await ask(metrics, "/metrics"))[1]).toContain("controller_runtime_reconcile_total");
  expect((await ask(metrics, "/healthz"))[0]).toBe(404);
  await running.close();
  await expect(ask(health, "/healthz")).rejects.toThrow();
  await expect(ask(metrics, "/metrics")).rejects.toThrow();
});

test("a port that is taken ends the controllers with an error, and leaves none open", async () => {
  const first = runControllers({ client, controllers: [idle], health: any, log: silentLog });
  const { health: taken = 0 } = await first.listening;
  const second = runControllers({ client, controllers: [idle], health: { ...any, port: taken }, log: silentLog });
  await expect(second.listening).rejects.toThrow("EADDRINUSE");
  await expect(second.ended).rejects.toThrow("EADDRINUSE");
  await first.close();
  expect(() => runControllers({ client, controllers: [idle], health: { port: -1 } })).toThrow(
    "port must be a whole number",
  );
});

test("webhooks are served beside the controllers", async () => {
  const authority = issueAuthority("webhook-authority", systemClock);
  const request = { commonName: "webhooks", hosts: ["127.0.0.1"] };
  const { certificate: cert, key } = issueServing(authority, request, systemClock);
  const webhooks = { tls: { cert, key }, host: "127.0.0.1", validate() {} };
  await using running = runControllers({ client, controllers: [idle], webhooks, log: silentLog });
  expect((await running.listening).webhooks).toBeGreaterThan(0);
});
