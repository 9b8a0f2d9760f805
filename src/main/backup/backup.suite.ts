/** Servers in new folders, and what commands print, for tests of backups. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, vi } from "vitest";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createServer, type OrchServer } from "../library.ts";

const folder = mkdtempSync(join(tmpdir(), "orch-backup-"));
let counter = 0;
export const newPath = (name = "path") => join(folder, `${name}${++counter}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const opened: OrchServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** What a command prints. */
export function capture(): { text(): string; errors(): string } {
  const out: string[] = [];
  const errors: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
  return { text: () => out.join(""), errors: () => errors.join("") };
}

export async function openServerIn(dataDir: string): Promise<OrchServer> {
  const server = await createServer({ dataDir, controllers: false, authorization: "RBAC" });
  opened.push(server);
  return server;
}

/** A ConfigMap, and a key that is not of an object. */
export async function sampleKv(): Promise<Kv> {
  const kv = createMemoryKv();
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default", uid: "u" } };
  await kv.put("/core/configmaps/default/a", Buffer.from(JSON.stringify(object)), 0n);
  await kv.put("registry/continue-key", Buffer.alloc(32), 0n);
  return kv;
}
