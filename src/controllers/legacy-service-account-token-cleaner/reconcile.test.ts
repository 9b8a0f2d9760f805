import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { carriedOut } from "../plan.suite.ts";
import { planTokens } from "./reconcile.ts";

const nowMs = Date.parse("2026-06-30T12:00:00Z");
const periodMs = 30 * 86_400_000;
const account: ServiceAccount = {
  metadata: { namespace: "ns", name: "robot", uid: "u1" },
  secrets: [{ name: "robot-token-x" }],
};
const secret = (labels: Record<string, string> = {}, metadata: Partial<Secret["metadata"]> = {}): Secret => ({
  metadata: {
    namespace: "ns",
    name: "robot-token-x",
    uid: "s1",
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations: { "kubernetes.io/service-account.name": "robot" },
    labels,
    ...metadata,
  },
  type: "kubernetes.io/service-account-token",
});
const lastUsed = "kubernetes.io/legacy-token-last-used";
const invalidSince = "kubernetes.io/legacy-token-invalid-since";

async function writesFor(given: Secret, { since = "2026-01-01", isMounted = false, owner = account } = {}) {
  const plan = planTokens({
    secrets: [given],
    accountOf: () => owner,
    isMounted: () => isMounted,
    periodMs,
    nowMs,
    vocabulary: kubernetes,
  });
  const { log } = await carriedOut(plan, (request) =>
    request.startsWith("get configmaps") ? { metadata: {}, data: { since } } : undefined,
  );
  return log.slice(2);
}

describe("tokens in Secrets that nothing uses", () => {
  const label = ["patch secrets ns/robot-token-x"];
  const remove = ["delete secrets ns/robot-token-x"];
  const cases: {
    why: string;
    given?: Secret;
    options?: Parameters<typeof writesFor>[1];
    writes: readonly string[];
  }[] = [
    { why: "one that was never used becomes invalid", writes: label },
    { why: "one that was used long ago becomes invalid", given: secret({ [lastUsed]: "2026-05-30" }), writes: label },
    { why: "one that was used within the period stays", given: secret({ [lastUsed]: "2026-05-31" }), writes: [] },
    { why: "a last use that cannot be read keeps it", given: secret({ [lastUsed]: "long ago" }), writes: [] },
    {
      why: "one that is invalid for the period is deleted",
      given: secret({ [invalidSince]: "2026-05-30" }),
      writes: remove,
    },
    { why: "one that became invalid lately stays", given: secret({ [invalidSince]: "2026-06-29" }), writes: [] },
    {
      why: "a day that cannot be read is written again",
      given: secret({ [invalidSince]: "2026-02-30" }),
      writes: label,
    },
    { why: "a young one stays", given: secret({}, { creationTimestamp: "2026-06-15T00:00:00Z" }), writes: [] },
    { why: "one that a pod mounts stays", options: { isMounted: true }, writes: [] },
    { why: "one that was made by hand stays", options: { owner: { ...account, secrets: [] } }, writes: [] },
    { why: "nothing happens until uses were recorded for the period", options: { since: "2026-05-31" }, writes: [] },
  ];
  for (const { why, given = secret(), options, writes } of cases)
    test(why, async () => assert.deepEqual(await writesFor(given, options), writes));
});
