/** One HTTPS request with a bounded answer: no redirects are followed, nothing is retried, everything ends in time. */

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

export interface TlsIdentity {
  /** PEM of the authorities that may have issued the other side's certificate; absent: the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name its certificate must have, where it is not the host's. */
  readonly serverName?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
}

export interface CallOptions {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly tls: TlsIdentity;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  readonly signal?: AbortSignal;
}

export interface CallAnswer {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly contentType: string;
  readonly body: string;
}

/** A call that brought no answer: `code` says why, and the message holds nothing of what was sent. */
export class CallError extends Error {
  readonly code: "TIMEOUT" | "TOO_LARGE" | "UNREACHABLE";
  constructor(code: CallError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "CallError";
    this.code = code;
  }
}

/** Resolves with whatever status came, redirects included; rejects with CallError. */
export function httpsCall(options: CallOptions): Promise<CallAnswer> {
  const { url, method, headers = {}, body, tls, timeoutMs, answerBytesMax, signal } = options;
  const target = new URL(url);
  const request = target.protocol === "http:" ? requestHttp : requestHttps;
  return new Promise((resolve, reject) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const call = request(target, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      agent: false, // no connection outlives its request, so that closing a server leaves nothing behind
      rejectUnauthorized: tls.insecure !== true,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    });
    const fail = (cause: unknown) =>
      reject(
        deadline.aborted
          ? new CallError("TIMEOUT", `no answer within ${timeoutMs} ms`, cause)
          : new CallError("UNREACHABLE", "the call did not come through", cause),
      );
    call.on("error", fail);
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("error", fail);
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= answerBytesMax) chunks.push(chunk);
        else {
          reject(new CallError("TOO_LARGE", `the answer is larger than ${answerBytesMax} bytes`));
          call.destroy();
        }
      });
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          contentType: (response.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase(),
          body: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    call.end(body);
  });
}
