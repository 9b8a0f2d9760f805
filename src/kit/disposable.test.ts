import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createServer } from "../main/library.ts";
import { issueAuthority, issueServing } from "../main/pki/issue.ts";
import { ConfigMap, connect, controller, runControllers, serveWebhook } from "./orch-client.ts";

test("clients, informers and controllers are closed at the end of their block", async () => {
  await using server = await createServer({ controllers: false });
  let closed = 0;
  let ended: Promise<void> | undefined;
  {
    using client = await connect({ server });
    await using informers = client.informers();
    await informers.of(ConfigMap).synced;
    const reconcile = async () => {};
    await using running = runControllers({ client, controllers: [controller({ for: ConfigMap, reconcile })] });
    await running.ready;
    ended = running.ended.then(() => void closed++);
    expect(closed).toBe(0);
  }
  await ended;
  expect(closed).toBe(1);
});

test("a webhook is closed at the end of its block", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-disposable-"));
  try {
    const authority = issueAuthority("test", systemClock);
    const pair = issueServing(authority, { commonName: "hook", hosts: ["127.0.0.1"] }, systemClock);
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    await writeFile(certFile, pair.certificate);
    await writeFile(keyFile, pair.key);
    let port = 0;
    {
      await using served = await serveWebhook({ certFile, keyFile, host: "127.0.0.1" });
      port = served.port;
    }
    await using again = await serveWebhook({ certFile, keyFile, host: "127.0.0.1", port });
    expect(again.port).toBe(port);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
