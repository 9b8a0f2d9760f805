/** One request to one server, with every way in which it can end as a value. */

import { type Agent, request } from "node:https";

export const adminToken = "admin-token-of-the-cluster";

/** `lost`: no whole answer came, so a write may or may not have happened. */
export type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly body: Body }
  | { readonly kind: "lost"; readonly error: string; readonly sent: boolean };

/** What the tests read of objects, lists and Status. */
export interface Body {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly Body[];
  readonly subsets?: readonly { readonly addresses?: readonly { readonly ip: string }[] }[];
}

export interface CallOptions {
  readonly body?: unknown;
  readonly type?: string;
  readonly timeoutMs?: number;
  /** Null: none, for a client with a certificate. */
  readonly token?: string | null;
}

const timeoutDefaultMs = 30_000;

export function call(
  { port, agent }: { readonly port: number; readonly agent: Agent },
  method: string,
  path: string,
  { body, type = "application/json", timeoutMs = timeoutDefaultMs, token = adminToken }: CallOptions = {},
): Promise<Outcome> {
  return new Promise((done) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const lost = (error: Error) => {
      clearTimeout(timer);
      // A connection that was never made has carried no request.
      const sent = !("code" in error && error.code === "ECONNREFUSED");
      done({ kind: "lost", error: error.message, sent });
    };
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(bytes === undefined ? {} : { "content-type": type, "content-length": bytes.length }),
    };
    const sending = request({ host: "127.0.0.1", port, agent, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", lost);
      answer.on("end", () => {
        clearTimeout(timer);
        done({ kind: "answer", status: answer.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) });
      });
    });
    const timer = setTimeout(() => sending.destroy(new Error("no answer in time")), timeoutMs);
    sending.on("error", lost);
    sending.end(bytes);
  });
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body; // what is read of it is checked where it is used
  } catch {
    return { message: text };
  }
}
