import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { systemClock } from "../base/clock.ts";
import { parseFlags } from "../base/flags/parse.ts";
import { silentLog } from "../base/log.ts";
import { createClient } from "../client/client.ts";
import { describeInformers } from "../client/informer/informer.suite.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import { orch } from "../vocabulary/orch.ts";
import { apiserverFlags } from "./flags/apiserver-flags.ts";
import { openApiServer } from "./programs/apiserver.ts";
import { shareObjects } from "./shared-objects.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orch-shared-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open() {
  const args = ["--store=memory", "--secure-port=0", "--bind-address=127.0.0.1", `--cert-dir=${folder}`];
  const { values } = parseFlags(apiserverFlags, [...args, `--data-dir=${folder}`]);
  const opened = await openApiServer({ flags: values, clock: systemClock, log: silentLog });
  const { server } = opened;
  const user = { name: "admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: new Map() };
  const fetch = createMemoryFetch(server.handler, { user });
  const shared = shareObjects(server);
  const client = createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test", shared });
  return { client, server, close: () => opened.stop() };
}

describeInformers("inside the process", open);

test("an informer of the process shares the bytes that the server sends", async () => {
  const { client, server, close } = await open();
  const maps = client.of(ConfigMap);
  await maps.create({ metadata: { namespace: "default", name: "a" }, data: { text: "x".repeat(10_000) } });
  const { items } = await client.listWatch(maps.address, "whole").list({ namespace: "default" });
  const entry = server.registry.peek(server.catalog.of(ConfigMap), { namespace: "default", name: "a" });
  expect(items.some((held) => held === entry)).toBe(true);
  await close();
});
