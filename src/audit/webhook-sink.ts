/** Events as EventLists that are posted to a service. */

import type { Delivery } from "../base/callout.ts";
import type { Clock } from "../base/clock.ts";
import type { AuditEvent, AuditSink } from "./contract.ts";
import type { AuditMetrics } from "./metrics.ts";

interface WebhookPostOptions {
  readonly post: Delivery;
  readonly print: (event: AuditEvent) => string;
  /** "audit.orch.io/v1" in the server's vocabulary. */
  readonly apiVersion: string;
  /** The first pause after a failure; each one is longer than the one before. */
  readonly backoffMs: number;
  readonly clock: Clock;
}

/** How often a batch is sent before it is lost, as in v1.21. */
export const webhookAttemptsMax = 5;
const backoffFactor = 1.5;
/** Batches that are sent at once, so that one which is tried again does not hold up the others. */
export const webhookBatchesMax = 16;

/** Posts a batch and retries after failures of any kind; rejects after too many attempts. */
export function createWebhookPost(options: WebhookPostOptions): (batch: readonly AuditEvent[]) => Promise<void> {
  const { post, print, apiVersion, backoffMs, clock } = options;
  return async (batch) => {
    const items = batch.map(print).join(",");
    const list = `{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[${items}]}`;
    for (let attempt = 1, pauseMs = backoffMs; ; attempt++, pauseMs *= backoffFactor) {
      try {
        await post(list);
        return;
      } catch (error) {
        if (attempt >= webhookAttemptsMax) throw error;
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    }
  };
}

/** Sends every event separately, at once. `strict`: a request fails when its RequestReceived event cannot be sent. */
export function createBlockingWebhookSink(
  send: (batch: readonly AuditEvent[]) => Promise<void>,
  strict: boolean,
  metrics: AuditMetrics,
): AuditSink {
  const underWay = new Set<Promise<void>>();
  return {
    name: "webhook",
    write(event) {
      const isArrival = event.stage === "RequestReceived";
      const sending = send([event]).catch(() => {
        metrics.lost("webhook", 1);
        if (strict && isArrival) throw new Error("the audit event of the request could not be sent");
      });
      const settled = sending.catch(() => undefined).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return sending;
    },
    async close() {
      await Promise.all(underWay);
    },
  };
}
