import { describe, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node.ts";
import { withControllers } from "../scenario.suite.ts";
import { secondsOf, stepAfter } from "./reconcile.ts";
import { ttlController } from "./wire.ts";

describe("how long node agents may cache objects", () => {
  const rows = [
    { why: "not at all in a small cluster", counts: [1], seconds: 0 },
    { why: "up to a hundred nodes", counts: [100], seconds: 0 },
    { why: "a few seconds above a hundred", counts: [101], seconds: 15 },
    { why: "unchanged near the boundary", counts: [101, 90], seconds: 15 },
    { why: "less again below the boundary", counts: [101, 90, 89], seconds: 0 },
    { why: "up to five hundred", counts: [500], seconds: 15 },
    { why: "half a minute above five hundred", counts: [501, 450], seconds: 30 },
    { why: "a minute above a thousand", counts: [1_001, 900], seconds: 60 },
    { why: "five minutes above two thousand", counts: [2_001, 1_800], seconds: 300 },
    { why: "ten minutes above ten thousand", counts: [10_001, 9_000], seconds: 600 },
    { why: "several steps down at once", counts: [10_001, 10], seconds: 0 },
  ];
  for (const { why, counts, seconds } of rows)
    test(why, () => expect(secondsOf(counts.reduce(stepAfter, 0))).toBe(seconds));
});

test("every node is annotated, and again when the annotation was changed", () =>
  withControllers([ttlController], async ({ client, create, until }) => {
    const annotation = "node.alpha.orch.io/ttl";
    const isRight = ({ metadata }: Node) => metadata.annotations?.[annotation] === "0";
    await create(Node, { metadata: { name: "n" } });
    await until(Node, { name: "n" }, isRight);
    await client.of(Node).patch({ name: "n" }, { metadata: { annotations: { [annotation]: "9" } } });
    await until(Node, { name: "n" }, isRight);
  }));
