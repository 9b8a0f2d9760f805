import { describe, expect, test } from "vitest";
import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { countedStatus } from "./status.ts";

const template = { metadata: { labels: { app: "x" } } };
const selector = { matchLabels: { app: "x" } };
const deployment: Deployment = { metadata: { name: "d" }, spec: { replicas: 1, selector, template } };

describe("replicas of a deployment that are being deleted are counted", () => {
  const rows: { why: string; counts: (number | undefined)[]; terminating: number | undefined }[] = [
    { why: "over all replica sets", counts: [1, 2], terminating: 3 },
    { why: "also where none is", counts: [0], terminating: 0 },
    { why: "not before every replica set says how many it has", counts: [1, undefined], terminating: undefined },
  ];
  for (const { why, counts, terminating } of rows)
    test(why, () => {
      const all = counts.map(
        (count): ReplicaSet => ({
          metadata: { name: "r" },
          spec: { replicas: 1, selector, template },
          status: { replicas: 1, ...(count === undefined ? {} : { terminatingReplicas: count }) },
        }),
      );
      const sets = { all, newest: all[0] };
      expect(countedStatus(deployment, sets, {}, 0).terminatingReplicas).toBe(terminating);
    });
});
