/** The way to the server: through the command that serves this page, with the secret of its link. */

import type { Clock } from "../../base/clock.ts";
import { createSender, type Sender } from "../../client/requests/send.ts";

/** What the command says about itself. */
export interface ConsoleFacts {
  readonly context: string;
  readonly server: string;
  /** The one that the user's configuration names. */
  readonly namespace: string;
  readonly isReadOnly: boolean;
}

export interface Connection {
  readonly facts: ConsoleFacts;
  readonly send: Sender;
  /** As `send`, and warnings of the server are shown: they are about what the user has done. */
  readonly write: Sender;
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

export async function connect(onWarning: (message: string) => void): Promise<Connection> {
  const secret = takeSecret();
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("x-console-secret", secret);
    return fetch(path, { ...init, headers, redirect: "error" });
  };
  const answer = await ask("/console.json");
  if (!answer.ok) throw new Error("Open the link that `ctl console` has printed: this tab does not know its secret.");
  const facts = (await answer.json()) as ConsoleFacts; // the command's own answer
  const options = {
    fetch: (path: string, init?: RequestInit) => ask(`/server${path}`, init),
    clock: browserClock,
    userAgent: "console",
  };
  return { facts, send: createSender(options), write: createSender({ ...options, warn: onWarning }) };
}

export const browserClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
