/** Follows objects until the user interrupts: when the server ends a watch, or is away for a while, it goes on where it was. */

import { isExpired } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { describeError, isNetworkError } from "../errors.ts";
import { requestTimeoutMs } from "../flags/request-timeout.ts";
import { pause } from "../pause.ts";
import { type Followed, versionOf } from "./follow.ts";
import { KnownObjects } from "./known-objects.ts";

export interface FollowedSource {
  /** The state in pages, and its changes for as long as the server tells them. */
  state(): AsyncIterable<Followed>;
  /** The changes since a version. "": since now, after the objects that exist. */
  changes(since: string): AsyncIterable<Followed>;
}

/** Tells the user that the server cannot be reached for now, and that it can again. */
export type Tell = (line: string) => void;

/** Several watches lose the same server: it is said once. */
export function tellOnce(context: Context): Tell {
  let told = "";
  return (line) => {
    if (line !== told) context.note(line);
    told = line;
  };
}

/** The pause before a watch that brought nothing is opened again; doubled by each further one. */
const againMs = 250;
export const againMsMax = 10_000;

/**
 * Never shows the same state twice: a state that must be read again is told as the changes since the last one. A server that has been
 * away may have lost its newest versions, so its state is read again. --request-timeout is how long a watch lasts.
 */
export async function* keepFollowing(context: Context, source: FollowedSource, tell: Tell): AsyncGenerator<Followed> {
  const known = new KnownObjects();
  const isOnce = requestTimeoutMs(context.flags["request-timeout"]) > 0;
  /** Undefined: the state is read, for the first time or again. */
  let since: string | undefined;
  let hasState = false;
  let waitMs = 0;
  let isAway = false;
  for (;;) {
    if (since === undefined) known.beginState();
    let hasNews = false;
    try {
      for await (const one of since === undefined ? source.state() : source.changes(since)) {
        if (isAway) tell("the server answers again");
        isAway = false;
        hasNews = true;
        for (const shown of known.note(one)) if (shown.type !== "BOOKMARK") yield shown;
        if (one.type === "PAGE" && !one.isLast) continue;
        since = versionOf(one.object) || (since ?? "");
        hasState = true;
      }
    } catch (error) {
      const isBehind = isExpired(error);
      if (!isBehind && !(hasState && mayPass(error))) throw error;
      since = undefined;
      if (!isBehind && !isAway) tell(`${describeError(error)}\ntrying again until the server answers`);
      isAway ||= !isBehind;
    }
    if (isOnce || context.signal.aborted) return;
    waitMs = hasNews ? 0 : Math.min(Math.max(againMs, waitMs * 2), againMsMax);
    await pause(context, waitMs);
  }
}

/** Whether a server that is restarted, or has too much to do, answers like this. */
const mayPass = (error: unknown): boolean =>
  error instanceof StatusError
    ? error.code === 429 || error.code >= 500
    : isNetworkError(error) && /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_AGAIN|NOTFOUND)/.test(error.code);
