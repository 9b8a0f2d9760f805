/** What can be wrong with an answer: a refusal of the server, or something that is not what was requested. */

import { isObject } from "../../machinery/json/json-value.ts";
import { type StatusDetails, StatusError, type StatusReason, statusReasons } from "../../machinery/status/status.ts";
import type { FetchResponse } from "../contract.ts";

/** How much of an answer that was not expected a message shows. */
const shownCharsMax = 500;

/**
 * The server, or something between it and us, answered with success and something else than was requested. Nothing is known about
 * the object then: it is neither there nor absent.
 * @example
 * if (error instanceof UnexpectedAnswer) console.error("is this the address of a server?");
 */
export class UnexpectedAnswer extends Error {
  /** `request`: "GET /api/v1/pods"; `expected`: "a Pod". */
  constructor(request: string, expected: string, text: string, cause?: unknown) {
    const shown = text.trim() === "" ? "nothing" : text.trim().slice(0, shownCharsMax);
    super(`the answer to ${request} is not ${expected}: ${shown}`, cause === undefined ? undefined : { cause });
    this.name = "UnexpectedAnswer";
  }
}

/** The error of an answer that is not a success. */
export async function readRefusal(response: FetchResponse): Promise<StatusError> {
  const text = await response.text().catch(() => "");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (isObject(body) && body["kind"] === "Status") return statusError(body, response.status);
  return new StatusError(reasonOfCode(response.status), describe(response, text.trim()), { code: response.status });
}

function describe({ status, headers }: FetchResponse, text: string): string {
  if (status === 404) return "the server could not find the requested resource";
  if (status >= 300 && status < 400) {
    const location = headers.get("location");
    const target = location === null ? "" : ` to ${location.slice(0, shownCharsMax)}`;
    return `the server answered with a redirect (${status})${target}, which is not followed`;
  }
  return text.slice(0, shownCharsMax) || `the server answered with status ${status}`;
}

/** The error that a Status object describes. */
export function statusError(body: unknown, code = 500): StatusError {
  const status = isObject(body) ? body : {};
  const reason = status["reason"];
  return new StatusError(
    // Other servers have reasons that are not in our table.
    typeof reason === "string" && reason !== "" ? (reason as StatusReason) : undefined,
    String(status["message"] ?? ""),
    {
      code: typeof status["code"] === "number" ? status["code"] : code,
      ...(isObject(status["details"]) ? { details: status["details"] as StatusDetails } : {}),
    },
  );
}

function reasonOfCode(code: number): StatusReason | undefined {
  const known = Object.entries(statusReasons).find(([, each]) => each === code);
  return known?.[0] as StatusReason | undefined; // the table's own key
}

/** Whether `error` is a refusal with this reason. */
export function hasReason(error: unknown, ...reasons: readonly StatusReason[]): error is StatusError {
  return error instanceof StatusError && error.reason !== undefined && reasons.includes(error.reason);
}

/**
 * Whether the server refused because there is no such object or resource.
 * @example
 * const map = await maps.get("prices").catch((error) => { if (!isNotFound(error)) throw error; });
 */
export const isNotFound = (error: unknown): error is StatusError => hasReason(error, "NotFound");
/**
 * Whether the server refused because the object has changed since it was read, or because fields belong to another manager.
 * @example
 * if (isConflict(error)) return again();
 */
export const isConflict = (error: unknown): error is StatusError => hasReason(error, "Conflict");
/**
 * Whether the server refused because the caller may not do it.
 * @example
 * if (isForbidden(error)) console.error("grant the program a role first");
 */
export const isForbidden = (error: unknown): error is StatusError => hasReason(error, "Forbidden");
/**
 * Whether the server refused because there is such an object already.
 * @example
 * await maps.create(map).catch((error) => { if (!isAlreadyExists(error)) throw error; });
 */
export const isAlreadyExists = (error: unknown): error is StatusError => hasReason(error, "AlreadyExists");
/**
 * Whether the server refused because the object breaks a rule.
 * @example
 * if (isInvalid(error)) console.error(error.details?.causes?.map(({ field }) => field));
 */
export const isInvalid = (error: unknown): error is StatusError => hasReason(error, "Invalid");
/**
 * The server no longer has the resourceVersion from which the list or watch continues; list again from the start.
 * @example
 * if (isExpired(error)) return listAgain();
 */
export const isExpired = (error: unknown): error is StatusError => hasReason(error, "Expired", "Gone");
/**
 * Whether the server refused because it has no capacity now, or because a disruption budget forbids an eviction.
 * @example
 * if (isTooManyRequests(error)) await later();
 */
export const isTooManyRequests = (error: unknown): error is StatusError => hasReason(error, "TooManyRequests");

/** The result of the call; undefined: the object does not exist. */
export async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether a create failed because the namespace is terminating: then the caller has nothing more to do. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isForbidden(error)) return false;
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
