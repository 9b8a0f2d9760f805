/** `serveWebhook()`: a webhook behind HTTPS, whose certificate is read again when its files change. */

import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  able,
  options as checked,
  checkOptions,
  count,
  filled,
  type OptionShape,
  required,
} from "../../base/check-options.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { nodeHttps } from "../../client/config/node-http.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest, StatusError, tooLarge } from "../../machinery/status/status.ts";
import { handling, type Webhook, type WebhookHandlers, webhookOf } from "./webhook.ts";

/**
 * What a webhook does, where it listens, and its certificate.
 * @example
 * const options: ServeWebhookOptions = { certFile: "/certs/tls.crt", keyFile: "/certs/tls.key", port: 9443, validate() {} };
 */
export interface ServeWebhookOptions<T extends AnyObject = ApiObject> extends WebhookHandlers<T> {
  /** Files in PEM, which are read again when their content changes. Needed unless there is `tls`. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The texts in PEM, in place of files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Default: all addresses. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly log?: Log;
}

/**
 * `await using served = await serveWebhook(…)` closes it at the end of the block.
 * @example
 * await using served: ServedWebhook = await serveWebhook({ tls, validate() {} });
 */
export interface ServedWebhook extends AsyncDisposable {
  readonly port: number;
  /** Reads the certificate now; it is otherwise read every ten seconds. */
  reloadCertificate(): void;
  close(): Promise<void>;
}

/**
 * Two objects of the largest size that a server stores, as JSON with its escapes.
 * @example
 * if (body.length > reviewBytesMax) throw new Error("the body is too large for a review");
 */
export const reviewBytesMax = 16 * 1024 * 1024;
const certificateCheckMs = 10_000;

/**
 * Serves a webhook with HTTPS at /mutate, /validate and /convert. Resolves when it listens.
 * @example
 * await serveWebhook({ certFile, keyFile, port: 9443, validate: ({ object }) => check(object) });
 */
export async function serveWebhook<T extends AnyObject = ApiObject>(
  options: ServeWebhookOptions<T>,
): Promise<ServedWebhook> {
  checkOptions<ServeWebhookOptions<T>>("serveWebhook", options, serving);
  const { certFile, host, port = 0, log = silentLog } = options;
  const read = readerOf(options);
  let current = read();
  const server = nodeHttps().createServer(current, webhookListener(webhookOf(options), log));
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

const serving: OptionShape<ServeWebhookOptions<AnyObject>> = {
  ...handling,
  certFile: filled,
  keyFile: filled,
  tls: checked<{ cert: string; key: string }>({ cert: required(filled), key: required(filled) }),
  host: filled,
  port: count(0),
  log: able("warn", "error"),
};

function readerOf({ certFile, keyFile, tls }: Pick<ServeWebhookOptions, "certFile" | "keyFile" | "tls">) {
  if (tls !== undefined) {
    if (certFile ?? keyFile) throw new TypeError("serveWebhook: tls takes the place of certFile and keyFile");
    return () => tls;
  }
  if (certFile === undefined) throw new TypeError("serveWebhook: certFile is needed, or tls");
  if (keyFile === undefined) throw new TypeError("serveWebhook: keyFile is needed, or tls");
  return () => ({ cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") });
}

/**
 * Answers a Request with a Response, for frameworks and for tests.
 * @example
 * app.mount("/hooks", webhookHandler(createWebhook({ validate })));
 */
export function webhookHandler(webhook: Webhook, log: Log = silentLog): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname } = new URL(request.url);
    try {
      return Response.json(await respond(webhook, request.method, pathname, request.body ?? []));
    } catch (error) {
      const status = statusOf(error, pathname, log);
      return Response.json(status.toStatus(), { status: status.code });
    }
  };
}

function statusOf(error: unknown, path: string | undefined, log: Log): StatusError {
  if (error instanceof StatusError) return error;
  log.error("a webhook failed", { path, error });
  return new StatusError("InternalError", "the webhook failed");
}

/**
 * Answers as a listener for a server of your own.
 * @example
 * createServer({ cert, key }, webhookListener(createWebhook({ validate }))).listen(9443);
 */
export function webhookListener(webhook: Webhook, log: Log = silentLog) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const send = (code: number, body: unknown) => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    // A server adds its timeout as a query.
    const [path = ""] = (request.url ?? "").split("?");
    respond(webhook, request.method ?? "", path, request as AsyncIterable<Buffer>).then(
      (body) => send(200, body),
      (error: unknown) => {
        const status = statusOf(error, request.url, log);
        send(status.code, status.toStatus());
      },
    );
  };
}

async function respond(
  webhook: Webhook,
  method: string,
  path: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<unknown> {
  if (method !== "POST") throw new StatusError("MethodNotAllowed", "a review must be sent with POST");
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
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
  return webhook.answer(path, body);
}
