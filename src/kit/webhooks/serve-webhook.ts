/** `serveWebhook()`: a webhook behind HTTPS, whose certificate is read again when its files change. */

import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Log, silentLog } from "../../base/log.ts";
import { nodeHttps } from "../../client/config/node-http.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest, StatusError, tooLarge } from "../../machinery/status/status.ts";
import { createWebhook, type Webhook, type WebhookHandlers } from "./webhook.ts";

export interface ServeWebhookOptions<T extends AnyObject = ApiObject> extends WebhookHandlers<T> {
  /** Files in PEM; they are read again when their content changes. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Default: all addresses. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly log?: Log;
}

/** `await using served = await serveWebhook(…)` closes it at the end of the block. */
export interface ServedWebhook extends AsyncDisposable {
  readonly port: number;
  /** Reads the certificate now; it is otherwise read every ten seconds. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/** Two objects of the largest size that a server stores, as JSON with its escapes. */
export const reviewBytesMax = 16 * 1024 * 1024;
const certificateCheckMs = 10_000;

export async function serveWebhook<T extends AnyObject = ApiObject>(
  options: ServeWebhookOptions<T>,
): Promise<ServedWebhook> {
  const { certFile, keyFile, host, port = 0, log = silentLog } = options;
  const read = () => ({ cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") });
  let current = read();
  const server = nodeHttps().createServer(current, webhookListener(createWebhook(options), log));
  const reloadCertificate = () => {
    try {
      const next = read();
      if (next.cert === current.cert && next.key === current.key) return;
      server.setSecureContext(next);
      current = next;
    } catch (error) {
      // The two files are not written at once; the former pair stays until both fit.
      log.warn("the certificate of a webhook cannot be used", { certFile, error });
    }
  };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const timer = setInterval(reloadCertificate, certificateCheckMs);
  timer.unref();
  const close = () => {
    clearInterval(timer);
    return new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  };
  return {
    port: (server.address() as AddressInfo).port, // of a TCP port
    reloadCertificate,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Answers as a listener for a server of your own. */
export function webhookListener(webhook: Webhook, log: Log = silentLog) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const send = (code: number, body: unknown) => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    respond(webhook, request).then(
      (body) => send(200, body),
      (error: unknown) => {
        if (!(error instanceof StatusError)) log.error("a webhook failed", { path: request.url, error });
        const status = error instanceof StatusError ? error : new StatusError("InternalError", "the webhook failed");
        send(status.code, status.toStatus());
      },
    );
  };
}

async function respond(webhook: Webhook, request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") throw new StatusError("MethodNotAllowed", "a review must be sent with POST");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > reviewBytesMax) throw tooLarge(`a review must have at most ${reviewBytesMax} bytes`);
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw badRequest("a review must be JSON", error);
  }
  // A server adds its timeout as a query.
  return webhook.answer((request.url ?? "").split("?")[0] ?? "", body);
}
