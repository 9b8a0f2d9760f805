/** Counts the requests of clients, under the names of v1.21. */

import { Counter, Histogram, type Metric } from "../../base/metrics.ts";
import { clientDuration, clientRequests } from "../../metrics/clients.ts";

/** Called for each answer, or for a failure to get one. `path` may have a query. */
export type ObserveRequest = (method: string, path: string, code: number | undefined, durationMs: number) => void;

interface ClientMetrics {
  readonly all: readonly Metric[];
  /** For clients of `host`: "127.0.0.1:6443". */
  observer(host: string): ObserveRequest;
}

export function createClientMetrics(): ClientMetrics {
  const requests = new Counter(clientRequests);
  const duration = new Histogram(clientDuration);
  return {
    all: [requests, duration],
    observer: (host) => (method, path, code, durationMs) => {
      requests.add(requests.labelKey(code === undefined ? "<error>" : String(code), host, method));
      const series = duration.series(duration.labelKey(method, `https://${host}${pathTemplate(path)}`));
      duration.observe(series, durationMs / 1_000);
    },
  };
}

/** "/api/v1/namespaces/{namespace}/pods/{name}/status": the path without the names in it, which would be too many. */
export function pathTemplate(path: string): string {
  const end = path.indexOf("?");
  const [, root = "", ...rest] = (end < 0 ? path : path.slice(0, end)).split("/");
  const prefixLength = root === "api" ? 1 : root === "apis" ? 2 : 0;
  if (prefixLength === 0) return `/${root}`;
  const prefix = rest.slice(0, prefixLength);
  let below = rest.slice(prefixLength);
  const shown = [root, ...prefix];
  if (below[0] === "namespaces" && below.length > 2 && !namespaceSubresources.has(below[2] ?? "")) {
    shown.push("namespaces", "{namespace}");
    below = below.slice(2);
  }
  const [resource, name, subresource] = below;
  if (resource !== undefined) shown.push(resource);
  if (name !== undefined) shown.push("{name}");
  if (subresource !== undefined) shown.push(subresource);
  return `/${shown.join("/")}`;
}

const namespaceSubresources: ReadonlySet<string> = new Set(["finalize", "status"]);
