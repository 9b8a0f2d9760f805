/** The way to the server: through the command that serves this page, with the secret of its link, or directly, with a token. */

import type { Clock } from "../../base/clock.ts";
import type { FetchResponse } from "../../client/contract.ts";
import { createSender, type Sender } from "../../client/requests/send.ts";
import { createReachability, type Reachability } from "./reachability.ts";
import type { Self } from "./self.ts";
import { createStreams, type Streams } from "./streams.ts";

/** What the program that serves the page says about itself. */
export interface ConsoleFacts {
  /** "token": the server itself serves the page, and requests need a token of the user. */
  readonly access: "link" | "token";
  readonly context: string;
  readonly server: string;
  /** The one that the user's configuration names. */
  readonly namespace: string;
  readonly isReadOnly: boolean;
  /** Whether reads can be tried as another user: not where the console itself acts as another one. */
  readonly mayTryAs: boolean;
  /** The user in the credentials, for servers without SelfSubjectReview. Absent: they name no user. */
  readonly user?: Self;
  /** Whether the program opens shells and forwards ports. */
  readonly hasStreams: boolean;
}

export interface Connection {
  readonly facts: ConsoleFacts;
  /** The moment of which reads are; "": now. */
  readonly at: string;
  readonly send: Sender;
  /** As `send`, and warnings of the server are shown: they are about what the user has done. */
  readonly write: Sender;
  readonly reachability: Reachability;
  /** Undefined: the program opens no shells and forwards no ports, or not for this user. */
  readonly streams: Streams | undefined;
  /** Reads as another user, with the user's rights to do so; the answer may be a refusal. */
  readAs(user: string, path: string): Promise<FetchResponse>;
}

const storedAs = "console-secret";

/** The secret of the link, which is then removed from the address; it lives as long as the tab. */
function takeSecret(): string {
  const found = /^#secret=([\w-]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return sessionStorage.getItem(storedAs) ?? "";
  sessionStorage.setItem(storedAs, found);
  history.replaceState(null, "", "#/overview");
  return found;
}

/** Adds what the program that serves the page wants to see. */
type AddCredential = (headers: Headers) => void;

const askWith =
  (add: AddCredential, prefix: string) =>
  (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    add(headers);
    return fetch(`${prefix}${path}`, { ...init, headers, redirect: "error" });
  };

/** The gateway marks an answer that is its own, because the server gave none. */
const unreachable = "x-console-unreachable";

/** Tells whether the server has answered, whatever it says. */
function observed(ask: ReturnType<typeof askWith>, reachability: Reachability): ReturnType<typeof askWith> {
  return async (path, init = {}) => {
    try {
      const answer = await ask(path, init);
      const why = answer.headers.get(unreachable);
      if (why === null) reachability.answered();
      else reachability.failed(why);
      return answer;
    } catch (error) {
      if (!init.signal?.aborted) reachability.failed(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}

/** This tab does not have the secret of the link: the page says what to do, and shows nothing else. */
export class WrongLink extends Error {}

interface Opening {
  readonly facts: ConsoleFacts;
  connect(token: string, onWarning: (message: string) => void): Connection;
}

export async function open(): Promise<Opening> {
  const secret = takeSecret();
  const addSecret: AddCredential = (headers) => headers.set("x-console-secret", secret);
  const answer = await askWith(addSecret, "")("console.json");
  if (!answer.ok) throw new WrongLink(`the answer is ${answer.status}`);
  const facts = (await answer.json()) as ConsoleFacts; // the program's own answer
  return {
    facts,
    connect(token, onWarning) {
      // The token is only here: a reload forgets it.
      const addToken: AddCredential = (headers) => token !== "" && headers.set("authorization", `Bearer ${token}`);
      const isDirect = facts.access === "token";
      const ask = isDirect ? askWith(addToken, "") : askWith(addSecret, "server");
      const reachability = createReachability(() => observed(ask, reachability)("/version"));
      const options = {
        fetch: observed(ask, reachability),
        clock: browserClock,
        userAgent: "console",
      };
      const send = createSender(options);
      return {
        facts,
        at: "",
        streams: facts.hasStreams ? createStreams(askWith(addSecret, ""), secret) : undefined,
        send,
        reachability,
        write: createSender({ ...options, warn: onWarning }),
        readAs: (user, path) =>
          send.open(path, {
            headers: { [isDirect ? "impersonate-user" : "x-console-as"]: user },
            accepts: () => true,
          }),
      };
    },
  };
}

export const browserClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
