/** What only orch has is asked for by the same name in every vocabulary and at every level. */

import { describe, expect, test } from "vitest";
import { newestLevel } from "../../src/machinery/schema/levels.ts";
import { createServer } from "../../src/main/library.ts";

describe.each(["orch", "kubernetes"] as const)("in the vocabulary %s", (vocabulary) => {
  test("the history has its name", async () => {
    await using server = await createServer({ vocabulary, emulatedVersion: newestLevel, history: "1h" });
    const { groups } = (await (await server.fetch("/apis")).json()) as { groups: { name: string }[] };
    expect(groups.map(({ name }) => name)).toContain("history.orch.io");
    const changes = await server.history("ConfigMap", { namespace: "default", name: "prices" });
    expect(changes).toEqual([]);
    const answer = await server.fetch("/apis/history.orch.io/v1alpha1/changes?limit=1");
    expect(await answer.json()).toMatchObject({ kind: "ChangeList", apiVersion: "history.orch.io/v1alpha1" });
  });
});
