/** The short run of the cluster; `npm run cluster -- --minutes=30` is the long one. */

import { describe, test } from "vitest";
import { findEtcd } from "../../src/kv/etcd/server.fixture.ts";
import { runScenario, type ScenarioOptions } from "./scenario.ts";
import { troubleKinds } from "./trouble.ts";

const etcd = findEtcd();
/** A member and a server are killed, a member is cut off and a server paused: the first four troubles. */
const short = { seed: 1, troubleMs: 0, troublesMin: 4, lastsMs: [500, 1_200], waitForExpiry: false } as const;
/** Everything that can break, once, and 21 restarts of servers. */
const long = { seed: 1, troubleMs: 0, lastsMs: [500, 8_000], waitForExpiry: true, restarts: 7 } as const;
const options: Omit<ScenarioOptions, "etcd" | "log"> =
  process.env["LONG_TESTS"] === undefined ? short : { ...long, troublesMin: troubleKinds };

describe.skipIf(etcd === undefined)("three servers on three members of etcd", () => {
  test("keep every promise while servers and members are killed, paused and cut off (F10, F11 in docs/security-rows.md)", {
    timeout: 1_800_000,
  }, async () => {
    const lines: string[] = [];
    await runScenario({ ...options, etcd: etcd!, log: (line) => lines.push(line) }).catch((error: unknown) => {
      console.error(lines.join("\n"));
      throw error;
    });
    if (options !== short) console.log(lines.join("\n"));
  });
});
