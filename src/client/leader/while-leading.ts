/** Writes of a process that leads: one that has lost its lease must not write any more, even if its controllers still have work. */

import type { Fetch } from "../contract.ts";

export function whileLeading(fetch: Fetch, isLeading: () => boolean): Fetch {
  return (path, init) => {
    const isRead = init?.method === undefined || init.method === "GET";
    if (!isRead && !isLeading()) return Promise.reject(new Error("this process does not lead and may not write"));
    return fetch(path, init);
  };
}
