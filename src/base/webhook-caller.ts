/**
 * Posting to webhooks that objects of the cluster name, by URL or as a service: connections are kept and shared, addresses
 * are checked, and the queue of one webhook is bounded. Admission and the conversion of custom resources both use it.
 */

import { Agent } from "node:https";
import { posix } from "node:path";
import type { ClientUser } from "./callout.ts";
import { type AddressCheck, type CallAnswer, CallError, type Dial, httpsCall, type TlsIdentity } from "./https-call.ts";
import { createSpread } from "./spread.ts";
import { trusting } from "./trusting-agent.ts";

/** Exactly one of `url` and `service` is set. */
export interface WebhookTarget {
  readonly url?: string | undefined;
  readonly service?: WebhookService | undefined;
  /** PEM of the authorities of its certificate; "": the system's. */
  readonly authority: string;
}

interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** Default: "/". */
  readonly path?: string;
  /** Default: 443. */
  readonly port?: number;
}

export interface WebhookCallerOptions {
  /** Where a service can be reached now. Throws (or rejects with) an Error that says why it cannot. */
  readonly findService: (service: Required<Omit<WebhookService, "path">>) => Dial | Promise<Dial>;
  readonly allows: AddressCheck;
  /** The header User-Agent. */
  readonly userAgent?: string;
  /** Headers of a call that begins now, by which the webhook goes on with a trace. Default: none. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

interface PostOptions {
  readonly timeoutMs: number;
  /** The query after the path, without the question mark. */
  readonly query?: string;
  /** By host and port ("hooks.example.com:8443"). Default: none. */
  readonly credentials?: (hostAndPort: string) => ClientUser;
  readonly signal?: AbortSignal;
}

export interface WebhookCaller {
  /** Resolves with any answer. Rejects with CallError if there was none, and with BusyError. */
  post(target: WebhookTarget, body: string, options: PostOptions): Promise<CallAnswer>;
  /** Closes the connections that are open. */
  close(): void;
}

/** The queue of this webhook is full. This is not a failure of the webhook: the request should be sent again later. */
export class BusyError extends Error {}

export const webhookAnswerBytesMax = 3 * 1024 * 1024;
/** How many connections to one webhook may be open. */
export const webhookConnectionsMax = 150;
/** How many calls of one webhook may wait for a connection. */
export const webhookQueueMax = 50;
/**
 * How many calls begin in one turn of the event loop: one that opens a connection takes most of a millisecond. As many requests whose call
 * failed go on in one: calls that began together time out together.
 */
export const webhookCallsBegunMax = 8;
/** How long an idle connection stays open. */
const idleMs = 60_000;

export function createWebhookCaller({
  findService,
  allows,
  userAgent,
  traceHeaders,
}: WebhookCallerOptions): WebhookCaller {
  const agent = trusting(
    new Agent({
      keepAlive: true,
      maxSockets: webhookConnectionsMax,
      // All connections stay open until they have been idle for a while: a handshake costs more than a call.
      maxFreeSockets: webhookConnectionsMax,
      timeout: idleMs,
      scheduling: "lifo",
    }),
  );
  const spread = createSpread(webhookCallsBegunMax);
  const spreadFailures = createSpread(webhookCallsBegunMax);
  const underWay = new Map<string, number>();
  let isClosed = false;
  return {
    async post(target, body, options) {
      const { url, service } = parts(target);
      const { host } = url;
      const count = underWay.get(host) ?? 0;
      if (count >= webhookConnectionsMax + webhookQueueMax) throw new BusyError(`too many requests wait for ${host}`);
      underWay.set(host, count + 1);
      try {
        const dial = service === undefined ? undefined : await locate(findService, service);
        await spread();
        url.search = options.query ?? "";
        const hostAndPort = url.port === "" ? `${url.host}:443` : url.host;
        const { headers = {}, ...own } = options.credentials?.(hostAndPort) ?? {};
        const tls: TlsIdentity = {
          ...own,
          ...(target.authority === "" ? {} : { ca: target.authority }),
          ...(service === undefined ? {} : { serverName: url.hostname }),
        };
        return await httpsCall({
          url: url.href,
          method: "POST",
          headers: {
            ...traceHeaders?.(),
            ...headers,
            "content-type": "application/json",
            accept: "application/json",
            ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
          },
          body,
          tls,
          timeoutMs: options.timeoutMs,
          answerBytesMax: webhookAnswerBytesMax,
          agent,
          allows: (address, port) => !isClosed && allows(address, port),
          ...(options.signal === undefined ? {} : { signal: options.signal }),
          ...(dial === undefined ? {} : { dial }),
        });
      } catch (error) {
        await spreadFailures();
        throw error;
      } finally {
        const left = (underWay.get(host) ?? 1) - 1;
        if (left === 0) underWay.delete(host);
        else underWay.set(host, left);
      }
    },
    close() {
      isClosed = true;
      agent.destroy();
    },
  };
}

/** The name of a service inside the cluster, which its certificate must contain. */
function parts({ url, service }: WebhookTarget): { url: URL; service?: Required<WebhookService> } {
  if (service === undefined) {
    if (url === undefined || !URL.canParse(url)) throw new CallError("FORBIDDEN", "the webhook has no URL");
    const parsed = new URL(url);
    if (parsed.protocol !== "https:") throw new CallError("FORBIDDEN", "only https URLs are called");
    parsed.pathname = cleanPath(parsed.pathname);
    return { url: parsed };
  }
  const { namespace, name, path = "/", port = 443 } = service;
  const made = new URL(`https://${name}.${namespace}.svc:${port}`);
  made.pathname = cleanPath(path);
  return { url: made, service: { namespace, name, path, port } };
}

/**
 * The path as v1.21 sends it: decoded, without empty and dotted segments and without a slash at the end, and encoded again.
 * Servers of the field redirect or refuse "//path", and a redirect is not followed.
 */
function cleanPath(path: string): string {
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    // A percent sign that escapes nothing stands for itself.
  }
  const clean = posix.join("/", decoded);
  const escaped = encodeURI(clean).replace(/[?#]/g, encodeURIComponent);
  return escaped.length > 1 && escaped.endsWith("/") ? escaped.slice(0, -1) : escaped;
}

/** Whether the status is that of an answer whose body counts. */
export const isReply = ({ status }: Pick<CallAnswer, "status">): boolean => status >= 200 && status <= 206;

async function locate(
  findService: WebhookCallerOptions["findService"],
  { namespace, name, port }: Required<WebhookService>,
): Promise<Dial> {
  try {
    return await findService({ namespace, name, port });
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw new CallError("UNREACHABLE", error instanceof Error ? error.message : String(error), error);
  }
}
