/** What a pod with controllers listens on: its health, its metrics, its webhooks. */

import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { count, filled, type OptionShape, required } from "../../base/check-options.ts";
import { nodeHttp } from "../../client/config/node-http.ts";
import type { AnyObject } from "../../client/contract.ts";
import { type ServedWebhook, type ServeWebhookOptions, serveWebhook } from "../webhooks/serve-webhook.ts";
import { healthListener } from "./health.ts";
import type { RunningControllers } from "./run.ts";

/**
 * Where a listener is.
 * @example
 * runControllers({ client, controllers, health: { port: 8081 }, metrics: { port: 8080 } });
 */
export interface ListenAt {
  /** 0: any free port, which `listening` names. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string;
}

/**
 * What a process with controllers listens on.
 * @example
 * runControllers({ client, controllers, health: { port: 8081 }, webhooks: { certFile, keyFile, port: 9443 } });
 */
export interface WantedListeners {
  /** Answers /healthz, /readyz and /metrics. */
  readonly health?: ListenAt;
  /** Answers /metrics, where it is to have another port. */
  readonly metrics?: ListenAt;
  /** Webhooks, which every process serves, whether it leads or not. */
  // biome-ignore lint/suspicious/noExplicitAny: the handlers know their objects
  readonly webhooks?: ServeWebhookOptions<any>;
}

/**
 * The ports that were opened.
 * @example
 * const { health }: ListeningPorts = await running.listening;
 */
export interface ListeningPorts {
  readonly health?: number;
  readonly metrics?: number;
  readonly webhooks?: number;
}

export const listenAt: OptionShape<ListenAt> = { port: required(count(0)), host: filled };

interface OpenListeners {
  readonly ports: ListeningPorts;
  close(): Promise<void>;
}

/** Opens all of them or none. */
export async function openListeners(
  { health, metrics, webhooks }: WantedListeners,
  running: Pick<RunningControllers, "ready" | "isHealthy" | "metrics">,
): Promise<OpenListeners> {
  const answer = healthListener(running);
  const opened: { readonly close: () => Promise<void> }[] = [];
  const close = async () => {
    await Promise.all(opened.map((each) => each.close()));
  };
  const open = async (at: ListenAt | undefined, listener: RequestListener): Promise<number | undefined> => {
    if (at === undefined) return undefined;
    const server = (nodeHttp("http:") as typeof import("node:http")).createServer(listener); // as it is named
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(at.port, at.host, resolve);
    });
    opened.push({ close: () => closed(server) });
    return (server.address() as AddressInfo).port; // of a TCP port
  };
  try {
    const healthPort = await open(health, answer);
    const metricsPort = await open(metrics, (request, response) => {
      const isMetrics = (request.url ?? "").split("?")[0] === "/metrics";
      if (isMetrics) answer(request, response);
      else response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("not found\n");
    });
    let served: ServedWebhook | undefined;
    if (webhooks !== undefined) {
      served = await serveWebhook<AnyObject>(webhooks);
      opened.push(served);
    }
    const ports = {
      ...(healthPort === undefined ? {} : { health: healthPort }),
      ...(metricsPort === undefined ? {} : { metrics: metricsPort }),
      ...(served === undefined ? {} : { webhooks: served.port }),
    };
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
