/** What the overview shows: how many objects there are, health checks, and samples of the server's metrics. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, withQuery } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { part, parts } from "./json.ts";
import { tableAccept } from "./tables.ts";

interface KindCount {
  readonly resource: DiscoveredResource;
  readonly count: number;
}

/** One request of one object for each kind: the server says how many remain. Kinds that the user may not list are left out. */
export async function countObjects(
  connection: Connection,
  discovery: Discovery,
  show: (counts: readonly KindCount[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = discovery.preferred.filter(({ verbs }) => verbs.includes("list")).reverse();
  const counts: KindCount[] = [];
  const work = async () => {
    for (let resource = waiting.pop(); resource !== undefined && !signal.aborted; resource = waiting.pop()) {
      const path = withQuery(collectionPath(resource, undefined), { limit: 1 });
      const accept = tableAccept(discovery.vocabulary);
      const list = await connection.send.json(path, { accept, signal }).catch(() => undefined);
      const shown = Math.max(parts(list, "rows").length, parts(list, "items").length);
      const count = shown + Number(part(list, "metadata")["remainingItemCount"] ?? 0);
      if (count > 0) counts.push({ resource, count });
    }
  };
  await Promise.all([work(), work(), work()]);
  if (!signal.aborted) show(counts.sort((a, b) => b.count - a.count));
}

export interface HealthCheck {
  readonly name: string;
  readonly isOk: boolean;
}

/** `[+]ping ok` and `[-]etcd failed: reason withheld`. */
export function parseHealth(text: string): HealthCheck[] {
  return [...text.matchAll(/^\[([+-])\](\S+)/gm)].map(([, sign, name = ""]) => ({ name, isOk: sign === "+" }));
}

export async function readHealth({ send }: Connection, signal: AbortSignal): Promise<HealthCheck[]> {
  const answer = await send.open("/readyz?verbose", {
    accept: "text/plain",
    signal,
    // 500 and 503 name the checks that fail; any other answer but 200 does not list checks.
    accepts: (code) => code === 200 || code === 500 || code === 503,
  });
  const checks = parseHealth(await answer.text());
  if (checks.length === 0) throw new Error("the server does not list its checks");
  return checks;
}

export async function readMetrics({ send }: Connection, signal: AbortSignal): Promise<string> {
  return (await send.open("/metrics", { accept: "text/plain", signal })).text();
}
