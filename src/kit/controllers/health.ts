/** What probes and Prometheus ask a process with controllers, as a listener of `node:http`. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { RunningControllers } from "./run.ts";

/**
 * Answers /healthz (200, or 503 after the lease was lost), /readyz (200 when work has begun; a process that waits to lead is not ready)
 * and /metrics: `createServer(healthListener(running)).listen(8080).unref()`.
 * @example
 * createServer(healthListener(running)).listen(8080).unref();
 */
export function healthListener(running: Pick<RunningControllers, "ready" | "isHealthy" | "metrics">) {
  let isReady = false;
  running.ready.then(
    () => {
      isReady = true;
    },
    () => {},
  );
  return (request: IncomingMessage, response: ServerResponse): void => {
    const send = (code: number, body: string) => {
      response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(body);
    };
    const [path] = (request.url ?? "").split("?");
    const isHealthy = running.isHealthy();
    const states: Readonly<Record<string, boolean>> = { "/healthz": isHealthy, "/readyz": isReady && isHealthy };
    const state = states[path ?? ""];
    if (path === "/metrics") send(200, running.metrics());
    else if (state === undefined) send(404, "not found\n");
    else send(state ? 200 : 503, state ? "ok\n" : "not ok\n");
  };
}
