/** A program with client-go of today, over protobuf: it leads, follows an informer and applies, at its level and its neighbours, and in a workspace. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connect, type InProcessServer } from "../../src/kit/connect.ts";
import { ConfigMap, Lease } from "../../src/kit/kinds.ts";
import { createServer } from "../../src/main/library.ts";
import { openPartner, whyNoPartners } from "./partner.ts";

interface Answer {
  readonly leader: boolean;
  readonly data: Record<string, string>;
  readonly manager: string;
}

/** `text`: a client configuration for the server. */
async function expectWorking(server: InProcessServer, text: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "orch-client-go-"));
  try {
    const path = join(home, "config");
    writeFileSync(path, text, { mode: 0o600 });
    const client = await connect({ server });
    await client.of(ConfigMap).create({ metadata: { name: "here" }, data: { own: "kept" } });
    await using program = openPartner("client", { KUBECONFIG: path });
    expect(await program.ask<Answer>(["here", "new"])).toEqual([
      { leader: true, data: { own: "kept", seen: "yes" }, manager: "client" },
      { leader: true, data: { seen: "yes" }, manager: "client" },
    ]);
    expect((await client.of(Lease).get("client")).spec?.holderIdentity).toBe("client-1");
    client.close();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

describe.skipIf(whyNoPartners !== undefined)(
  `client-go${whyNoPartners === undefined ? "" : `: ${whyNoPartners}`}`,
  () => {
    for (const level of ["1.35", "1.36", "1.37"] as const)
      test(`leads, follows and applies at level ${level}`, { timeout: 900_000 }, async () => {
        await using server = await createServer({ like: `kubernetes-${level}` });
        await expectWorking(server, (await server.clientConfig()).text);
      });

    test("leads, follows and applies in a workspace, and leaves nothing at the root", {
      timeout: 900_000,
    }, async () => {
      await using server = await createServer({ like: "kubernetes-1.37", workspaces: true });
      const shop = await server.workspace("shop");
      await expectWorking(shop, (await shop.clientConfig()).text);
      const client = await connect({ server });
      expect((await client.of(Lease).list({ namespace: "default" }).all()).items).toEqual([]);
      client.close();
    });
  },
);
