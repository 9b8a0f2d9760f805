/** A server of its own, and kubectl pointed at it. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { kubectlPath, run } from "./programs.ts";

export interface KubectlSession {
  readonly server: OrchServer;
  readonly folder: string;
  /** For those who start kubectl themselves. May be added to. */
  readonly env: Record<string, string>;
  /** The output of a command that must end with `code` (default: 0) and without complaint. */
  ctl(args: string | readonly string[], options?: { readonly input?: string; readonly code?: number }): Promise<string>;
  close(): Promise<void>;
}

/** `workspace`: the one that kubectl is pointed at. Default: the server itself. */
export async function openKubectlSession({ workspace = "" } = {}): Promise<KubectlSession> {
  const folder = await mkdtemp(join(tmpdir(), "orch-kubectl-"));
  const server = await createServer({ vocabulary: "kubernetes", workspaces: workspace !== "" });
  const target = workspace === "" ? server : await server.workspace(workspace);
  await writeFile(join(folder, "config"), (await target.clientConfig()).text, { mode: 0o600 });
  // A home of its own, since kubectl remembers discovery there.
  const env = { KUBECONFIG: join(folder, "config"), HOME: folder };
  return {
    server,
    folder,
    env,
    async ctl(args, { input, code: expected = 0 } = {}) {
      const list = typeof args === "string" ? args.split(" ") : args;
      const { code, stdout, stderr } = await run(kubectlPath, list, { env, ...(input ? { input } : {}) });
      expect({ list, code, stderr }).toEqual({ list, code: expected, stderr: expect.not.stringMatching(/error:/i) });
      return stdout;
    },
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
