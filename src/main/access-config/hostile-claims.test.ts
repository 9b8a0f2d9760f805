/** Claims that the holder of a token has chosen, and requests, against expressions of an operator that take long with them. */

import { describe, expect, test } from "vitest";
import type { Log } from "../../base/log.ts";
import { silentLog } from "../../base/log.ts";
import { measureWork } from "../../base/processor-time.suite.ts";
import type { Steps } from "../../base/time-slice.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { JwtConfiguration } from "./authentication-config.ts";
import { createClaimMapper } from "./claim-mapper.ts";
import { accessCostMax, compileClaimRule, compileRequestCondition, type Evaluated } from "./expressions.ts";

/** About as much as a token of 16 KiB can hold. */
const roles = Array.from({ length: 2_000 }, (_, at) => `r${at % 10}`);
const nested = (depth: number) => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
};
const claims = {
  sub: "ivy",
  roles,
  long: "a".repeat(12_000),
  deep: nested(5_000),
  other: nested(5_000),
  wide: Object.fromEntries(roles.map((_, at) => [`k${at}`, at])),
};

/** The longest step on an idle machine takes a few milliseconds; the limit is for others. */
const stepMsMax = 100;

function longestStep<T>(steps: Steps<T>): { readonly value: T; readonly longestMs: number } {
  let longestMs = 0;
  for (;;) {
    const spent = measureWork();
    const step = steps.next();
    longestMs = Math.max(longestMs, spent());
    if (step.done) return { value: step.value, longestMs };
  }
}

const shown = (value: Evaluated<boolean>) => (value instanceof Error ? value.message : value);

describe("an expression about claims is evaluated in steps, up to its cost", () => {
  const cases: readonly [expression: string, outcome: unknown][] = [
    [
      "claims.roles.all(x, claims.roles.all(y, x != 'z' || y != 'z'))",
      "operation cancelled: actual cost limit exceeded",
    ],
    [
      "claims.roles.exists(x, claims.roles.exists(y, x + y == 'zz'))",
      "operation cancelled: actual cost limit exceeded",
    ],
    [
      "claims.long.split('').all(x, claims.long.contains(x + 'b') || true)",
      "operation cancelled: actual cost limit exceeded",
    ],
    ["claims.deep == claims.other", true],
    ["claims.wide == claims.wide", true],
    ["claims.long.matches('(a|aa)+b')", false],
    ["claims.missing == 'x'", "no such key: missing"],
  ];
  for (const [expression, outcome] of cases)
    test(expression, () => {
      const { value, longestMs } = longestStep(compileClaimRule(expression, "1.35")(claims, { left: accessCostMax }));
      expect(shown(value)).toBe(outcome);
      expect(longestMs).toBeLessThan(stepMsMax);
    });
});

test("a condition of a webhook is evaluated in steps for a request with a thousand requirements", () => {
  const requirements = Array.from({ length: 1_000 }, (_, at) => ({ key: `k${at}`, operator: "In", values: ["a"] }));
  const spec = { user: "ivy", resourceAttributes: { verb: "list", labelSelector: { requirements } } };
  const of = "request.resourceAttributes.labelSelector.requirements";
  const condition = compileRequestCondition(`${of}.all(x, ${of}.all(y, x.key != 'z' || y.key != 'z'))`, "1.35");
  const { value, longestMs } = longestStep(condition(spec, { left: accessCostMax }));
  expect(shown(value)).toBe("operation cancelled: actual cost limit exceeded");
  expect(longestMs).toBeLessThan(stepMsMax);
});

test("all expressions about one token share one budget", async () => {
  const refusals: unknown[] = [];
  const log: Log = { ...silentLog, info: (_, fields) => void refusals.push(fields?.["reason"]) };
  const costly = "claims.roles.map(x, claims.roles.size()).size() > 0";
  const mapper = async (rules: number) =>
    await createClaimMapper(
      {
        issuer: { url: "https://issuer.test", audiences: ["orch"] },
        claimMappings: { username: { claim: "sub", prefix: "" } },
        claimValidationRules: Array.from({ length: rules }, (_, at) => ({ expression: `${costly} && ${at} >= 0` })),
      } as JwtConfiguration,
      "jwt[0]",
      { release: "1.35", log, vocabulary: orch },
    );
  expect((await (await mapper(3))(claims))?.name).toBe("ivy");
  expect(await (await mapper(1_000))(claims)).toBeUndefined();
  expect(refusals).toEqual(["operation cancelled: actual cost limit exceeded"]);
});
