/** One call of one webhook for one request: dry run check, review, answer and metrics. */

import { randomUUID } from "node:crypto";

import type { Clock } from "../../base/clock.ts";
import { CallError } from "../../base/https-call.ts";
import type { Log } from "../../base/log.ts";
import { BusyError, type WebhookCaller } from "../../base/webhook-caller.ts";
import { StatusError, timeout, tooManyRequests } from "../../machinery/status/status.ts";
import type { AdmissionRequest, AdmissionStep, VersionedObjects } from "../../registry/contract/admission.ts";
import type { AdmissionContext } from "../context.ts";
import { encodeReview, reviewGroup } from "../review.ts";
import { readVerdict, type WebhookVerdict } from "./answer.ts";
import { type ClientUsers, readClientUsers } from "./client-users.ts";
import { CallFailure, dryRunUnsupported, failedClosed, rejection, WebhookDenial } from "./denial.ts";
import type { Webhook } from "./webhook.ts";
import type { WebhookCandidate } from "./webhook-index.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

export interface CallParts {
  readonly caller: WebhookCaller;
  /** From the client configuration file of the plugin. */
  readonly credentials: ClientUsers;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: WebhookMetrics;
}

/** Throws an Error if the operator's configuration of the plugin is invalid. */
export function callParts(context: AdmissionContext, plugin: string): CallParts {
  const { webhooks, clock, log } = context;
  return { ...webhooks, credentials: readClientUsers(context, plugin), clock, log };
}

/**
 * Calls the webhook and returns what `use` makes of an approval. Undefined: the call failed, and the webhook's policy is to go on.
 * Throws a StatusError where the request must not go on. `use` throws CallFailure for what its answer cannot mean.
 */
export async function callWebhook<T>(
  parts: CallParts,
  request: AdmissionRequest,
  { webhook, kind }: Pick<WebhookCandidate, "webhook" | "kind">,
  use: (verdict: WebhookVerdict, objects: VersionedObjects) => T | Promise<T>,
): Promise<T | undefined> {
  const { clock, metrics, log } = parts;
  const startedMs = clock.monotonic();
  const traced = request.trace?.begin(request, tracedStep(webhook));
  const refused = (error: Error) => {
    traced?.({ outcome: "refused", message: error.message });
    return error;
  };
  const count = (rejected?: Parameters<WebhookMetrics["called"]>[0]["rejected"]) =>
    metrics.called({ webhook, operation: request.operation, durationMs: clock.monotonic() - startedMs, rejected });
  try {
    if (request.dryRun && !webhook.supportsDryRun) throw dryRunUnsupported(webhook);
    const objects = await request.in(kind);
    const asked = () => ask(parts, request, { webhook, kind }, objects);
    const verdict = await (traced?.within?.(asked) ?? asked());
    for (const [key, value] of Object.entries(verdict.auditAnnotations))
      request.annotate(`${webhook.name}/${key}`, value);
    for (const warning of verdict.warnings) request.warn(warning);
    if (!verdict.allowed) throw rejection(webhook, verdict.status);
    const used = await use(verdict, objects);
    count();
    traced?.({ outcome: "allowed" });
    return used;
  } catch (error) {
    if (error instanceof WebhookDenial) {
      count({ type: "no_error", code: error.code });
      throw refused(error.status);
    }
    if (!(error instanceof CallFailure)) {
      count({ type: "apiserver_internal_error", code: 0 });
      throw refused(error instanceof Error ? error : new Error(String(error)));
    }
    const { name, configuration, ignoresFailure } = webhook;
    count(ignoresFailure ? undefined : { type: "calling_webhook_error", code: 0 });
    log.warn("calling a webhook failed", { webhook: name, configuration, ignoresFailure, problem: error.message });
    if (!ignoresFailure) throw refused(failedClosed(webhook, error));
    traced?.({ outcome: "ignored", message: error.message });
    return undefined;
  }
}

const tracedStep = ({ type, name, configuration }: Webhook): AdmissionStep =>
  type === "mutating"
    ? { plugin: "MutatingAdmissionWebhook", phase: "mutate", webhook: { name, configuration } }
    : { plugin: "ValidatingAdmissionWebhook", phase: "validate", webhook: { name, configuration } };

async function ask(
  { caller, credentials, clock }: CallParts,
  request: AdmissionRequest,
  { webhook, kind }: Pick<WebhookCandidate, "webhook" | "kind">,
  objects: VersionedObjects,
): Promise<WebhookVerdict> {
  const version = webhook.reviewVersion;
  if (version === undefined) throw new Error("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
  const leftMs = request.deadlineMs - clock.monotonic();
  if (leftMs <= 0 || request.signal.aborted) throw outOfTime();
  const timeoutMs = Math.min(webhook.timeoutMs, leftMs);
  const uid = randomUUID();
  const body = encodeReview({ request, kind, objects, uid, version });
  const answer = await caller
    .post(webhook.target, body, {
      timeoutMs: Math.ceil(timeoutMs),
      // Passes the webhook the time after which its answer is too late.
      query: `timeout=${Math.ceil(timeoutMs / 1_000)}s`,
      credentials,
      signal: request.signal,
    })
    .catch((error: unknown) => {
      if (leftMs <= webhook.timeoutMs && (request.signal.aborted || isTimeout(error))) throw outOfTime();
      throw problem(webhook, error);
    });
  const group = kind.family.environment.vocabulary.group(reviewGroup);
  return await readVerdict(answer, { type: webhook.type, version, group, uid });
}

const isTimeout = (error: unknown) => error instanceof CallError && error.code === "TIMEOUT";

const outOfTime = () => timeout("request did not complete within requested timeout");

function problem({ name }: Webhook, error: unknown): Error {
  if (error instanceof BusyError)
    return tooManyRequests(`too many requests wait for admission webhook "${name}", please try again later`, 1);
  if (error instanceof StatusError) return error;
  return new CallFailure(error instanceof Error ? error.message : String(error), { cause: error });
}
