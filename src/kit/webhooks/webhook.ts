/** Answers the reviews that a server sends to its webhooks: validating, mutating and converting. */

import { callable, checkOptions, type OptionShape } from "../../base/check-options.ts";
import type { AnyObject } from "../../client/contract.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest, notFound, StatusError } from "../../machinery/status/status.ts";
import { type AdmissionCall, admissionCallOf, isMutating, type MutatingCall } from "./admission-call.ts";
import { jsonDifference } from "./json-difference.ts";

/**
 * What a webhook does about objects.
 * @example
 * const handlers: WebhookHandlers<ConfigMap> = { validate: ({ object }) => check(object) };
 */
export interface WebhookHandlers<T extends AnyObject = ApiObject> {
  /** Answers /validate. Throws to refuse the request: a StatusError with its reason, any other error as Forbidden. */
  validate?(request: AdmissionCall<T>): void | Promise<void>;
  /**
   * Answers /mutate: changes `request.object` in place. Throws to refuse the request. It is not called for deletions and connections, which have
   * nothing to change.
   */
  mutate?(request: MutatingCall<T>): void | Promise<void>;
  /** Answers /convert: the object in `apiVersion`; the identity of an object must stay. */
  convert?(object: ApiObject, apiVersion: string): ApiObject | Promise<ApiObject>;
}

/**
 * A webhook without a port: the answer to a body that was sent to a path.
 * @example
 * const webhook: Webhook = createWebhook({ validate() {} });
 */
export interface Webhook {
  /** Rejects with a StatusError if the body is not a review, or the path is not served. */
  answer(path: string, body: unknown): Promise<JsonObject>;
}

/** What handlers may be. */
export const handling: OptionShape<WebhookHandlers<AnyObject>> = {
  validate: callable,
  mutate: callable,
  convert: callable,
};

/**
 * What answers reviews, for a server of your own.
 * @example
 * const review = await createWebhook({ validate() {} }).answer("/validate", sent);
 */
export function createWebhook<T extends AnyObject = ApiObject>(handlers: WebhookHandlers<T>): Webhook {
  checkOptions<WebhookHandlers<T>>("createWebhook", handlers, handling);
  return webhookOf(handlers);
}

/** The same of handlers that are checked, and may have other members. */
export function webhookOf<T extends AnyObject>(handlers: WebhookHandlers<T>): Webhook {
  const { validate, mutate, convert } = handlers;
  return {
    async answer(path, body) {
      const review = isObject(body) ? body : {};
      if (path === "/validate" && validate) return answerAdmission<T>(review, (call) => validate.call(handlers, call));
      if (path === "/mutate" && mutate)
        return answerAdmission<T>(review, (call) => (isMutating(call) ? mutate.call(handlers, call) : undefined));
      if (path === "/convert" && convert) return answerConversion(review, (...args) => convert.call(handlers, ...args));
      throw notFound({ group: "", kind: "webhooks" }, path);
    },
  };
}

async function answerAdmission<T extends AnyObject>(
  review: JsonObject,
  handle: (call: AdmissionCall<T>) => void | Promise<void> | undefined,
): Promise<JsonObject> {
  const request = requestOf(review, "AdmissionReview");
  const warnings: string[] = [];
  const call = admissionCallOf<T>(request, (message) => warnings.push(message));
  // Compared afterwards: what has changed is the patch.
  const before = structuredClone(call.object);
  try {
    await handle(call);
  } catch (error) {
    const { reason = "Forbidden", code, message, details } = refusal(error);
    const status = { status: "Failure", reason, code, message, ...(details === undefined ? {} : { details }) };
    return answered(review, { uid: request["uid"], allowed: false, status, warnings });
  }
  const patch = jsonDifference(before, call.object);
  const encoded = Buffer.from(JSON.stringify(patch)).toString("base64");
  const changes = patch.length === 0 ? {} : { patchType: "JSONPatch", patch: encoded };
  return answered(review, { uid: request["uid"], allowed: true, ...changes, warnings });
}

const refusal = (error: unknown): StatusError =>
  error instanceof StatusError
    ? error
    : new StatusError("Forbidden", error instanceof Error ? error.message : String(error), { cause: error });

async function answerConversion(
  review: JsonObject,
  convert: (object: ApiObject, apiVersion: string) => ApiObject | Promise<ApiObject>,
): Promise<JsonObject> {
  const request = requestOf(review, "ConversionReview");
  const apiVersion = String(request["desiredAPIVersion"]);
  const objects = Array.isArray(request["objects"]) ? (request["objects"] as ApiObject[]) : []; // the server's word
  const { uid } = request;
  try {
    const convertedObjects: ApiObject[] = [];
    for (const object of objects) convertedObjects.push({ ...(await convert(object, apiVersion)), apiVersion });
    return answered(review, { uid, convertedObjects, result: { status: "Success" } });
  } catch (error) {
    return answered(review, {
      uid,
      convertedObjects: [],
      result: { status: "Failure", message: refusal(error).message },
    });
  }
}

function requestOf(review: JsonObject, kind: string): JsonObject {
  const { request } = review;
  if (review["kind"] !== kind || !isObject(request) || typeof request["uid"] !== "string")
    throw badRequest(`the body must be an ${kind} with a request`);
  return request;
}

const answered = ({ apiVersion, kind }: JsonObject, response: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  response,
});
