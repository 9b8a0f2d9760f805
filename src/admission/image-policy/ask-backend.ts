/** Calls the service of ImagePolicyWebhook, retries where that may help, and caches its answers. */

import { calloutAnswerBytesMax, calloutTimeoutMs } from "../../base/callout.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { CallError, httpsCall } from "../../base/https-call.ts";
import { LruMap } from "../../base/lru-map.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import type { ImagePolicy } from "./configuration.ts";

/** As it is sent to the service. */
export interface ImageReviewSpec {
  readonly containers: readonly { readonly image?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace: string;
}

export interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Rejects with an Error when the answer is missing or malformed. */
type AskBackend = (spec: ImageReviewSpec, signal: AbortSignal) => Promise<ImageReviewStatus>;

/** How many answers are cached. */
export const imageReviewsMax = 1024;
const triesMax = 5;
const backoffFactor = 1.5;
/** Status codes of temporary failures. */
const passingStatuses = new Set([429, 500, 504]);

export function createAskBackend(policy: ImagePolicy, apiVersion: string, clock: Clock): AskBackend {
  const known = new LruMap<string, { readonly status: ImageReviewStatus; readonly untilMs: number }>(imageReviewsMax);
  return async (spec, signal) => {
    const key = JSON.stringify(spec);
    const remembered = known.get(key);
    if (remembered !== undefined && remembered.untilMs > clock.monotonic()) return remembered.status;
    const body = JSON.stringify({ apiVersion, kind: "ImageReview", spec });
    const status = readReview(await post(policy, body, signal, clock), apiVersion);
    const ttlMs = status.allowed ? policy.allowTtlMs : policy.denyTtlMs;
    if (ttlMs > 0) known.set(key, { status, untilMs: clock.monotonic() + ttlMs });
    return status;
  };
}

async function post({ endpoint, retryBackoffMs }: ImagePolicy, body: string, signal: AbortSignal, clock: Clock) {
  for (let tries = 1, waitMs = retryBackoffMs; ; tries++, waitMs *= backoffFactor) {
    try {
      const answer = await httpsCall({
        url: endpoint.url,
        method: "POST",
        headers: { ...endpoint.headers, "content-type": "application/json", accept: "application/json" },
        body,
        tls: endpoint.tls,
        timeoutMs: calloutTimeoutMs,
        answerBytesMax: calloutAnswerBytesMax,
        signal,
      });
      if (answer.status >= 200 && answer.status < 300) return answer.body;
      if (tries === triesMax || !passingStatuses.has(answer.status)) {
        throw new Error(`the image policy service answered with status ${answer.status}`);
      }
    } catch (error) {
      if (!(error instanceof CallError) || error.code !== "UNREACHABLE" || tries === triesMax) throw error;
    }
    await sleep(clock, waitMs, signal);
  }
}

/** Only the status is read; the rest of the answer is ignored. */
function readReview(text: string, apiVersion: string): ImageReviewStatus {
  const review: unknown = JSON.parse(text);
  if (!isObject(review)) throw new Error("the image policy service did not answer with a JSON object");
  const isReview = (review["kind"] ?? "ImageReview") === "ImageReview";
  if (!isReview || (review["apiVersion"] ?? apiVersion) !== apiVersion) {
    throw new Error("the image policy service did not answer with an ImageReview");
  }
  const status = isObject(review["status"]) ? review["status"] : {};
  const { allowed, reason, auditAnnotations } = status;
  if (typeof allowed !== "boolean") throw new Error("the image policy service did not say whether images are allowed");
  return {
    allowed,
    reason: typeof reason === "string" ? reason : "",
    auditAnnotations: isObject(auditAnnotations) ? texts(auditAnnotations) : {},
  };
}

function texts(map: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
