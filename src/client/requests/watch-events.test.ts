import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createClient } from "../client.ts";

const pods = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };

test("after its signal has aborted a watch gives no event, also none that came with the last one", async () => {
  const lines = ["a", "b"].map(
    (name) => `${JSON.stringify({ type: "ADDED", object: { kind: "Pod", metadata: { name } } })}\n`,
  );
  const fetch = async () => new Response(lines.join(""));
  const client = createClient({ fetch, vocabulary: orch, clock: systemClock, userAgent: "test/1" });
  const stop = new AbortController();
  const seen: unknown[] = [];
  for await (const { object } of client.at(pods).watch({ signal: stop.signal })) {
    seen.push(object.metadata.name);
    stop.abort();
  }
  expect(seen).toEqual(["a"]);
});
