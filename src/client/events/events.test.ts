import { expect, test } from "vitest";
import { Event } from "../../api/core/v1/event.ts";
import { createManualClock, systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { createServer } from "../../main/library.ts";
import { orch } from "../../vocabulary/orch.ts";
import { createClient } from "../client.ts";
import { createCorrelator, eventBurstMax, similarEventsMax } from "./correlator.ts";
import { createRecorders } from "./recorder.ts";

const draft = (message: string, name = "p") => ({
  component: "test-controller",
  host: "",
  involved: { kind: "Pod", namespace: "default", name, uid: "u" },
  type: "Normal",
  reason: "Tested",
  message,
});

test("the same event again is counted", () => {
  const correlator = createCorrelator(createManualClock(0));
  const first = correlator.correlate(draft("a"));
  if (first.action !== "create") throw new Error("the first is new");
  correlator.written(first.key, "p.1");
  expect(correlator.correlate(draft("a"))).toMatchObject({ action: "count", name: "p.1", count: 2 });
});

test("many Events that differ in their message are aggregated, for ten minutes", () => {
  const clock = createManualClock(0);
  const correlator = createCorrelator(clock);
  const messages = Array.from({ length: similarEventsMax }, (_, at) => correlator.correlate(draft(`m${at}`)));
  expect(messages.at(-2)).toMatchObject({ message: `m${similarEventsMax - 2}` });
  expect(messages.at(-1)).toMatchObject({ message: `(combined from similar events): m${similarEventsMax - 1}` });
  clock.advance(601_000);
  expect(correlator.correlate(draft("later"))).toMatchObject({ message: "later" });
});

test("a source with too many Events about one object is limited for a while, but not about others", () => {
  const clock = createManualClock(0);
  const correlator = createCorrelator(clock);
  for (let at = 0; at < eventBurstMax; at++) correlator.correlate(draft("a"));
  expect(correlator.correlate(draft("a")).action).toBe("drop");
  expect(correlator.correlate(draft("a", "q")).action).toBe("create");
  clock.advance(300_000);
  expect(correlator.correlate(draft("a")).action).not.toBe("drop");
});

test("events are written in the background, and counted on the server", async () => {
  const server = await createServer({ controllers: false });
  const client = createClient({ fetch: server.fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });
  const recorders = createRecorders({ client, clock: systemClock, log: silentLog });
  const recorder = recorders.of("test-controller");
  const pod = { kind: "Pod", apiVersion: "v1", metadata: { namespace: "default", name: "p", uid: "u" } };
  recorder.event(pod, "Warning", "Failed", "no");
  recorder.event(pod, "Warning", "Failed", "no");
  recorder.event(
    { ...pod, metadata: { ...pod.metadata, namespace: "nowhere" } },
    "Normal",
    "Lost",
    "refused, and forgotten",
  );
  await recorders.close();
  const { items } = await client.of(Event).list({ namespace: "default" });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    type: "Warning",
    reason: "Failed",
    message: "no",
    count: 2,
    source: { component: "test-controller" },
  });
  await server.close();
});
