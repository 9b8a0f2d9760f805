/** The requests that a server for tests records, as they are answered. */

import { sleep } from "../../base/clock.ts";
import { readLines } from "../../client/requests/frames.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { browserClock, type Connection } from "./connection.ts";
import { isJson, type Json } from "./json.ts";

interface JournalFollower {
  /** Those of a short while; one that is there already has changed. */
  recorded(requests: readonly Json[]): void;
  /** `isFinal`: it is not tried again. */
  failed(error: Error, isFinal: boolean): void;
}

const retryMs = 2_000;
/** Requests that come close together are shown together. */
const showEveryMs = 150;

/** Resolves when the signal aborts, or when the server refuses the user. */
export async function followJournal(
  connection: Connection,
  signal: AbortSignal,
  follower: JournalFollower,
): Promise<void> {
  let after = 0;
  let waiting: Json[] = [];
  const show = () => {
    const shown = waiting;
    waiting = [];
    if (!signal.aborted) follower.recorded(shown);
  };
  while (!signal.aborted) {
    try {
      const path = `/journal?follow=true&after=${after}`;
      const { body } = await connection.send.open(path, { accept: "application/json", signal });
      if (body === null) return;
      for await (const line of readLines(body)) {
        const request: unknown = JSON.parse(line);
        if (!isJson(request)) continue;
        after = Math.max(after, Number(request["number"]));
        if (waiting.length === 0) setTimeout(show, showEveryMs);
        waiting.push(request);
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      const isFinal = failure instanceof StatusError && failure.code >= 400 && failure.code < 500;
      follower.failed(failure, isFinal);
      if (isFinal) return;
    }
    await sleep(browserClock, retryMs, signal).catch(() => undefined);
  }
}

export async function clearJournal({ write }: Connection): Promise<void> {
  await write.open("/journal", { method: "DELETE" });
}
