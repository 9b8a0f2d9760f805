/** One request and its answer: JSON both ways, refusals as StatusErrors, retries when the server asks for them. */

import { type Clock, sleep } from "../../base/clock.ts";
import { isObject } from "../../machinery/schema/json-value.ts";
import { type StatusDetails, StatusError, type StatusReason, statusReasons } from "../../machinery/status/status.ts";
import type { Fetch } from "../contract.ts";
import type { ObserveRequest } from "./metrics.ts";

export interface Sender {
  /** The parsed body of the answer. */
  json(path: string, request?: JsonRequest): Promise<unknown>;
  /** The answer as it comes, for streams. Anything but success is a StatusError. */
  open(path: string, request?: JsonRequest): Promise<Response>;
}

export interface JsonRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface SenderOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Field managers are named after its part before the first slash. */
  readonly userAgent: string;
  /** Absent: requests are not counted. */
  readonly observe?: ObserveRequest | undefined;
}

/** How often a request is retried after a Retry-After of the server. */
export const requestRetriesMax = 10;

export function createSender({ fetch, clock, userAgent, observe }: SenderOptions): Sender {
  const ask = observe === undefined ? fetch : observed(fetch, clock, observe);
  const open: Sender["open"] = async (path, request = {}) => {
    for (let tries = 0; ; tries++) {
      const response = await ask(path, initOf(request, userAgent));
      if (response.ok) return response;
      const error = await readRefusal(response);
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || tries >= requestRetriesMax) throw error;
      await sleep(clock, waitMs, request.signal);
    }
  };
  return {
    open,
    async json(path, request) {
      const response = await open(path, request);
      return await response.json();
    },
  };
}

function observed(fetch: Fetch, clock: Clock, observe: ObserveRequest): Fetch {
  return async (path, init) => {
    const beganMs = clock.monotonic();
    const note = (code: number | undefined) => observe(init?.method ?? "GET", path, code, clock.monotonic() - beganMs);
    try {
      const response = await fetch(path, init);
      note(response.status);
      return response;
    } catch (error) {
      note(undefined);
      throw error;
    }
  };
}

function initOf({ method, body, contentType, accept, signal }: JsonRequest, userAgent: string): RequestInit {
  return {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      accept: accept ?? "application/json",
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
}

/** As clients of v1.21: only 429 and server errors with Retry-After are retried. */
function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

async function readRefusal(response: Response): Promise<StatusError> {
  const text = await response.text().catch(() => "");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return statusError(body, response.status, text);
}

/** The error that a Status object describes. */
export function statusError(body: unknown, code = 500, text = ""): StatusError {
  if (!isObject(body) || body["kind"] !== "Status") {
    const message = `the server answered with status ${code}${text === "" ? "" : `: ${text.slice(0, 500)}`}`;
    return new StatusError(reasonOfCode(code), message, { code });
  }
  const reason = body["reason"];
  return new StatusError(
    typeof reason === "string" && Object.hasOwn(statusReasons, reason) ? (reason as StatusReason) : reasonOfCode(code),
    String(body["message"] ?? ""),
    {
      code: typeof body["code"] === "number" ? body["code"] : code,
      ...(isObject(body["details"]) ? { details: body["details"] as StatusDetails } : {}),
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

/** The result of the call; undefined: the object does not exist. */
export async function ifThere<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Whether a create failed because the namespace is terminating: then the caller has nothing more to do. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!hasReason(error, "Forbidden")) return false;
  return error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false;
}
