/** The short run of the cluster; `npm run cluster -- --minutes=30` is the long one. */

import { describe, test } from "vitest";
import { findEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { runScenario } from "./scenario.ts";

const etcd = findEtcd();

describe.skipIf(etcd === undefined)("three servers on three members of etcd", () => {
  test("keep every promise while servers and members are killed, paused and cut off (F10, F11 in docs/security-rows.md)", {
    timeout: 600_000,
  }, async () => {
    const lines: string[] = [];
    await runScenario({
      etcd: etcd!,
      seed: 1,
      troubleMs: 9_000,
      lastsMs: [500, 1_200],
      waitForExpiry: false,
      log: (line) => lines.push(line),
    }).catch((error: unknown) => {
      console.error(lines.join("\n"));
      throw error;
    });
  });
});
