import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { silentLog } from "../../base/log.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { openApiServer } from "../programs/apiserver.ts";
import { openMarked } from "./etcd-mark.ts";

test("a store records its vocabulary and refuses another", async () => {
  const kv = createMemoryKv();
  await openMarked(kv, "kubernetes");
  await openMarked(kv, "kubernetes");
  await expect(openMarked(kv, "orch")).rejects.toThrow(/start with --vocabulary=kubernetes/);
});

test("of two servers that begin at once with different vocabularies one is refused", async () => {
  const kv = createMemoryKv();
  const outcomes = await Promise.allSettled([openMarked(kv, "orch"), openMarked(kv, "kubernetes")]);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("--store=memory beside etcd servers wins, with one line in the log", async () => {
  const folder = await mkdtemp(join(tmpdir(), "orch-store-"));
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
  const flags = ["--store=memory", "--etcd-servers=https://127.0.0.1:1", "--secure-port=0", "--bind-address=127.0.0.1"];
  const { values } = parseFlags(apiserverFlags, [...flags, `--cert-dir=${folder}`, `--data-dir=${folder}`]);
  const opened = await openApiServer({ flags: values, clock: systemClock, log });
  await opened.stop();
  await rm(folder, { recursive: true });
  expect(warnings.filter((message) => message.includes("--store=memory"))).toHaveLength(1);
});
