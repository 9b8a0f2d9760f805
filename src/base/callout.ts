/** Calls an operator's service: its address, how to verify it, and one JSON request with one JSON response. */

import { httpsCall, type TlsIdentity } from "./https-call.ts";

export interface Endpoint {
  readonly url: string;
  readonly tls: TlsIdentity;
  readonly headers: Readonly<Record<string, string>>;
}

/** The client's credentials: a certificate with its key, and headers with a token or a password. */
export interface ClientUser {
  readonly cert?: string;
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const calloutAnswerBytesMax = 1024 * 1024;
export const calloutTimeoutMs = 30_000;

/** Posts `question` and returns the parsed answer; rejects on anything but a 2xx with a JSON object. */
export type Callout = (question: object) => Promise<Readonly<Record<string, unknown>>>;

export function createCallout(endpoint: Endpoint, timeoutMs: number = calloutTimeoutMs): Callout {
  return async (question) => {
    const value: unknown = JSON.parse(await post(endpoint, JSON.stringify(question), timeoutMs));
    if (!isObject(value)) throw new Error("the answer is not a JSON object");
    return value;
  };
}

/** Posts a JSON text to a service that only receives: any 2xx will do, with or without a body. */
export type Delivery = (json: string) => Promise<void>;

export function createDelivery(endpoint: Endpoint, timeoutMs: number = calloutTimeoutMs): Delivery {
  return async (json) => {
    await post(endpoint, json, timeoutMs);
  };
}

async function post(endpoint: Endpoint, json: string, timeoutMs: number): Promise<string> {
  const answer = await httpsCall({
    url: endpoint.url,
    method: "POST",
    headers: { ...endpoint.headers, "content-type": "application/json", accept: "application/json" },
    body: json,
    tls: endpoint.tls,
    timeoutMs,
    answerBytesMax: calloutAnswerBytesMax,
  });
  if (answer.status < 200 || answer.status > 299) throw new Error(`the service answered with status ${answer.status}`);
  return answer.body;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
