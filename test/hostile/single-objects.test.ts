/** Single objects that are allowed but large: nothing that is done about one of them keeps the event loop for long. */

import { describe, expect, test } from "vitest";
import { pause, useTarget } from "./target.ts";

const target = useTarget({
  command: "up",
  explainsTurns: true,
  flags: () => ["--nodes=2", "--emulated-version=1.35"],
});

/** The aim is 100 ms on a machine that has nothing else to do, as for `turns.test.ts`. */
const turnMsMax = 500;
/** How long controllers, scheduler and nodes look at an object once it exists. */
const quietMs = 2_000;
const limit = 60_000;

const items = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

interface Case {
  readonly what: string;
  readonly path: string;
  readonly body: object;
}

/** Each costs about as much to compile as its 400 characters allow. */
const expression = (at: number) => items(8, (n) => `device.attributes["a.b"].x${n} > ${at}`).join(" && ");

const cases: readonly Case[] = [
  {
    what: "a claim of 1,024 selectors of devices",
    path: "/apis/resource.orch.io/v1/namespaces/default/resourceclaims",
    body: {
      metadata: { name: "x" },
      spec: {
        devices: {
          requests: items(32, (at) => ({
            name: `r${at}`,
            exactly: {
              deviceClassName: "gpu",
              selectors: items(32, (n) => ({ cel: { expression: expression(at * 32 + n) } })),
            },
          })),
        },
      },
    },
  },
];

describe("one large object", () => {
  for (const { what, path, body } of cases)
    test(what, { timeout: limit }, async () => {
      const { result, longestTurnMs, longTurns } = await target.cost(async () => {
        const answer = await target.post(path, body);
        await pause(quietMs);
        return answer;
      });
      expect([result.status, result.text.slice(0, 200)]).toEqual([201, expect.anything()]);
      expect([longestTurnMs < turnMsMax, longTurns]).toEqual([true, expect.anything()]);
    });
});
