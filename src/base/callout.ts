/** Calls an operator's service: its address, how to verify it, and one JSON request with one JSON response. */

import { CallError, httpsCall, type TlsIdentity } from "./https-call.ts";
import { createSpread } from "./spread.ts";

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
/** Calls of one service at once: anyone may send tokens that a service must be asked about. */
export const calloutsMax = 150;
/** Calls that wait for one of these to end, at most for the timeout of the call; further ones fail at once. */
export const calloutsWaitingMax = 2_000;
/** Calls that begin in one turn of the event loop: each opens a connection. */
export const calloutsBegunMax = 8;

/** Posts `question` and returns the parsed answer; rejects on anything but a 2xx with a JSON object. */
export type Callout = (question: object) => Promise<Readonly<Record<string, unknown>>>;

export function createCallout(endpoint: Endpoint, timeoutMs: number = calloutTimeoutMs): Callout {
  const calls = createSeats();
  return async (question) => {
    const leave = await calls.enter(timeoutMs);
    const text = await post(endpoint, JSON.stringify(question), timeoutMs).finally(leave);
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new Error("the answer is not a JSON object");
    return value;
  };
}

interface Seats {
  /** Resolves when the call may begin, with what is to be called when it has ended. Rejects with CallError. */
  enter(withinMs: number): Promise<() => void>;
}

function createSeats(): Seats {
  const spread = createSpread(calloutsBegunMax);
  const waiting = new Set<() => void>();
  let taken = 0;
  const leave = () => {
    const [next] = waiting;
    if (next === undefined) taken--;
    else next();
  };
  const seat = (withinMs: number) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(take);
        reject(new CallError("TIMEOUT", `${calloutsMax} other calls took longer than ${withinMs} ms`));
      }, withinMs);
      timer.unref();
      const take = () => {
        clearTimeout(timer);
        waiting.delete(take);
        resolve();
      };
      waiting.add(take);
    });
  return {
    async enter(withinMs) {
      if (taken < calloutsMax) taken++;
      else if (waiting.size >= calloutsWaitingMax)
        throw new CallError("UNREACHABLE", `${calloutsWaitingMax} calls wait for this service, more are not made`);
      else await seat(withinMs);
      await spread();
      return leave;
    },
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
