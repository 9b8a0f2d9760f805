import { describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import type { AuditEvent } from "./contract.ts";
import { arrival, event, lost } from "./events.suite.ts";
import { createAuditMetrics } from "./metrics.ts";
import { printEvent } from "./print.ts";
import { createBlockingWebhookSink, createWebhookPost, webhookAttemptsMax } from "./webhook-sink.ts";

describe("the webhook", () => {
  const print = (one: AuditEvent) => printEvent(one, "audit.orch.io", "v1");

  test("posts an EventList, and retries after growing pauses", async () => {
    const clock = createManualClock(0);
    const lists: unknown[] = [];
    let failures = 2;
    const post = async (list: string) => {
      lists.push(JSON.parse(list));
      if (failures-- > 0) throw new Error("busy");
    };
    const send = createWebhookPost({ post, print, apiVersion: "audit.orch.io/v1", backoffMs: 1_000, clock });
    const sending = send([event("1"), event("2")]);
    for (let step = 0; step < 4; step++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1_500);
    }
    await sending;
    expect(lists).toHaveLength(3);
    expect(lists[0]).toMatchObject({ kind: "EventList", items: [{ auditID: "1" }, { auditID: "2" }] });
  });

  test("gives up eventually; a request fails with it only in strict mode", async () => {
    let posts = 0;
    const clock = createManualClock(0);
    const post = async () => {
      posts++;
      throw new Error("down");
    };
    const send = createWebhookPost({ post, print, apiVersion: "audit.orch.io/v1", backoffMs: 0, clock });
    const metrics = createAuditMetrics();
    const pump = setInterval(() => clock.advance(1), 1);
    try {
      await createBlockingWebhookSink(send, false, metrics).write(arrival("1"));
      await expect(createBlockingWebhookSink(send, true, metrics).write(arrival("2"))).rejects.toThrow(
        "could not be sent",
      );
    } finally {
      clearInterval(pump);
    }
    expect([posts, lost(metrics)]).toEqual([2 * webhookAttemptsMax, "2"]);
  });
});
