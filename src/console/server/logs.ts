/** The log of a container as it is written. */

import type { ResourceAddress } from "../../client/contract.ts";
import { objectPath, withQuery } from "../../client/requests/address.ts";
import { readLines } from "../../client/requests/frames.ts";
import type { Connection } from "./connection.ts";

export interface LogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  /** Of the run before the present one. */
  readonly isPrevious: boolean;
  readonly isFollowed: boolean;
  readonly hasTimes: boolean;
  readonly signal: AbortSignal;
}

/** With how many of the last lines a log begins. */
const tailLines = 1_000;
/** Lines that come close together are shown together. */
const showEveryMs = 100;

/** Resolves when the log has ended. */
export async function readLog(
  { send }: Connection,
  resource: ResourceAddress,
  { namespace, name, container, isPrevious, isFollowed, hasTimes, signal }: LogRequest,
  show: (lines: readonly string[]) => void,
): Promise<void> {
  const path = withQuery(`${objectPath(resource, { namespace, name })}/log`, {
    container,
    tailLines,
    ...(isFollowed && !isPrevious ? { follow: true } : {}),
    ...(isPrevious ? { previous: true } : {}),
    ...(hasTimes ? { timestamps: true } : {}),
  });
  const { body } = await send.open(path, { accept: "text/plain, */*", signal });
  let waiting: string[] = [];
  const showWaiting = () => {
    const lines = waiting;
    waiting = [];
    if (!signal.aborted && lines.length > 0) show(lines);
  };
  if (body === null) return;
  for await (const line of readLines(body, { mayLackEnd: true })) {
    if (waiting.length === 0) setTimeout(showWaiting, showEveryMs);
    waiting.push(line);
  }
  showWaiting();
}
