/** Servers in new folders, and what commands print, for tests of backups. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, vi } from "vitest";
import type { Kv } from "../../kv/contract.ts";
import { createMemoryKv } from "../../kv/memory/memory.ts";
import { createServer, type OrchServer } from "../library.ts";

export interface BackupFixture {
  /** A path in the folder of the tests at which nothing exists. */
  newPath(name?: string): string;
  /** Closed after the test. */
  openServerIn(dataDir: string): Promise<OrchServer>;
}

/** For one test file: test files share a process, so each calls this itself to have its hooks. */
export function backupFixture(): BackupFixture {
  const folder = mkdtempSync(join(tmpdir(), "orch-backup-"));
  const opened: OrchServer[] = [];
  let counter = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.close();
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });
  return {
    newPath: (name = "path") => join(folder, `${name}${++counter}`),
    async openServerIn(dataDir) {
      const server = await createServer({ dataDir, controllers: false, authorization: "RBAC" });
      opened.push(server);
      return server;
    },
  };
}

/** What a command prints. */
export function capture(): { text(): string; errors(): string } {
  const out: string[] = [];
  const errors: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => errors.push(String(text)) > 0);
  return { text: () => out.join(""), errors: () => errors.join("") };
}

/** A ConfigMap, and a key that is not of an object. */
export async function sampleKv(): Promise<Kv> {
  const kv = createMemoryKv();
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "default", uid: "u" } };
  await kv.put("/core/configmaps/default/a", Buffer.from(JSON.stringify(object)), 0n);
  await kv.put("registry/continue-key", Buffer.alloc(32), 0n);
  return kv;
}
