/** What is counted about calls of webhooks, under the names and labels of v1.21. */

import { Counter, Histogram, type Metric } from "../../base/metrics.ts";
import { webhookDuration, webhookRejections } from "../../metrics/admission.ts";
import type { Operation } from "../../registry/contract/admission.ts";
import type { Webhook } from "./webhook.ts";

type RejectionType = "calling_webhook_error" | "no_error" | "apiserver_internal_error";

interface WebhookOutcome {
  readonly webhook: Webhook;
  readonly operation: Operation;
  readonly durationMs: number;
  /** Absent: the webhook did not stop the request. */
  readonly rejected?: { readonly type: RejectionType; readonly code: number } | undefined;
}

export interface WebhookMetrics {
  readonly metrics: readonly Metric[];
  called(outcome: WebhookOutcome): void;
}

/** A webhook may answer with any number; those beyond the usual codes share one label. */
export const rejectionCodeMax = 600;

export function createWebhookMetrics(): WebhookMetrics {
  const duration = new Histogram(webhookDuration);
  const rejections = new Counter(webhookRejections);
  return {
    metrics: [duration, rejections],
    called({ webhook, operation, durationMs, rejected }) {
      const type = webhook.type === "mutating" ? "admit" : "validating";
      const key = duration.labelKey(webhook.name, operation, String(rejected !== undefined), type);
      duration.observe(duration.series(key), durationMs / 1_000);
      if (rejected === undefined) return;
      const code = String(Math.min(rejected.code, rejectionCodeMax));
      rejections.add(rejections.labelKey(rejected.type, webhook.name, operation, code, type));
    },
  };
}
