/** The answer of a webhook: parsed, checked and converted to one form for both versions. */

import type { CallAnswer } from "../../base/https-call.ts";
import { isReply } from "../../base/webhook-caller.ts";
import { decodeJsonAsync } from "../../machinery/json/json.ts";
import type { Static } from "../../machinery/schema/build.ts";
import { bool, bytes, elided, int32, list, map, optional, string, struct } from "../../machinery/schema/build.ts";
import { decodeObject } from "../../machinery/schema/decode.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { CallFailure, type GivenStatus } from "./denial.ts";
import type { ReviewVersion, WebhookType } from "./webhook.ts";

export interface WebhookVerdict {
  readonly allowed: boolean;
  /** Why the request was denied. */
  readonly status: GivenStatus;
  /** A list of JSON patch operations as bytes; empty: no change. */
  readonly patch: Buffer;
  /** Only JSONPatch is supported. It is optional in v1beta1. */
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

const Cause = struct("admission.v1.StatusCause", {
  reason: elided(string()),
  message: elided(string()),
  field: elided(string()),
});
const Details = struct("admission.v1.StatusDetails", {
  name: elided(string()),
  group: elided(string()),
  kind: elided(string()),
  uid: elided(string()),
  causes: elided(list(Cause)),
  retryAfterSeconds: elided(int32()),
});
const Result = struct("admission.v1.Result", {
  status: elided(string()),
  message: elided(string()),
  reason: elided(string()),
  details: optional(Details),
  code: elided(int32()),
});
const Response = struct("admission.v1.AdmissionResponse", {
  uid: string(),
  allowed: bool(),
  status: optional(Result),
  patch: elided(bytes()),
  patchType: optional(string()),
  auditAnnotations: elided(map(string())),
  warnings: elided(list(string())),
});
const Review = struct("admission.v1.AdmissionReview", {
  kind: elided(string()),
  apiVersion: elided(string()),
  response: optional(Response),
});
type Review = Static<typeof Review>;
type Response = Static<typeof Response>;

export const jsonPatch = "JSONPatch";

export interface ExpectedReview {
  readonly type: WebhookType;
  readonly version: ReviewVersion;
  /** The group of AdmissionReview in the names of this server. */
  readonly group: string;
  readonly uid: string;
}

/** Rejects with CallFailure. The body alone counts: most webhooks send no content type, and their libraries say text/plain. */
export async function readVerdict(answer: CallAnswer, expected: ExpectedReview): Promise<WebhookVerdict> {
  if (!isReply(answer)) throw new CallFailure(`the webhook answered with status ${answer.status}, not 200`);
  const review = await readReview(answer.bytes);
  checkVersion(review, expected);
  const { response } = review;
  if (response === undefined) throw new CallFailure("webhook response was absent");
  if (expected.version === "v1") checkV1(response, expected);
  const { status = {} } = response;
  return {
    allowed: response.allowed,
    status: { ...status, ...(status.details === undefined ? {} : { details: status.details }) },
    patch: expected.type === "mutating" ? Buffer.from(response.patch ?? "", "base64") : Buffer.alloc(0),
    patchType: expected.version === "v1" ? (response.patchType ?? "") : jsonPatch,
    warnings: response.warnings ?? [],
    auditAnnotations: response.auditAnnotations ?? {},
  };
}

async function readReview(given: Buffer): Promise<Review> {
  try {
    // Decoded as Review says; its schema is the struct's.
    return decodeObject(Review.schema as StructSchema, await decodeJsonAsync(given)) as Review;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new CallFailure(`the webhook's answer is not an AdmissionReview: ${error.message}`, { cause: error });
  }
}

/** In v1 apiVersion and kind are required. In v1beta1 they are optional, but must not be wrong. */
function checkVersion({ kind = "", apiVersion = "" }: Review, { version, group }: ExpectedReview): void {
  const wanted = `${group}/${version}`;
  const unsaid = version === "v1beta1";
  const isRight =
    (kind === "AdmissionReview" || (unsaid && kind === "")) && (apiVersion === wanted || (unsaid && apiVersion === ""));
  if (isRight) return;
  const given = `${apiVersion}, Kind=${kind}`.slice(0, 200);
  throw new CallFailure(`expected webhook response of ${wanted}, Kind=AdmissionReview, got ${given}`);
}

function checkV1({ uid, patch = "", patchType }: Response, expected: ExpectedReview): void {
  if (uid !== expected.uid)
    throw new CallFailure(`expected response.uid="${expected.uid}", got "${uid.slice(0, 100)}"`);
  if (expected.type === "validating") {
    if (patch !== "") throw new CallFailure("validating webhook may not return response.patch");
    if (patchType !== undefined) throw new CallFailure("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && patchType === undefined)
    throw new CallFailure("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined)
    throw new CallFailure("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new CallFailure('webhook returned invalid response.patchType of ""');
}
