/** How many objects there are of each kind, for the navigation. */

import { useEffect, useState } from "preact/hooks";
import { countObjects } from "../server/overview.ts";
import { idOf } from "../state/acts.ts";
import type { Page } from "./page.ts";

const countEveryMs = 60_000;
/** The view that was asked for goes first. */
const firstAfterMs = 800;

/** `returns`: counted again when it changes. */
export function useCounts(page: Page | undefined, returns: number): ReadonlyMap<string, number> {
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const discovery = page?.discovery;
  useEffect(() => {
    if (page === undefined) return;
    const ended = new AbortController();
    const count = () => {
      if (document.visibilityState !== "visible") return;
      const show = (found: Parameters<Parameters<typeof countObjects>[2]>[0]) =>
        setCounts(new Map(found.map(({ resource, count }) => [idOf(resource), count])));
      void countObjects(page.connection, page.discovery, show, ended.signal);
    };
    const soon = setTimeout(count, firstAfterMs);
    const timer = setInterval(count, countEveryMs);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
      ended.abort();
    };
  }, [discovery, returns]);
  return counts;
}
