/** The server that the conformance cases speak to: one that is given by URL, or one that is made for them. */

import { request } from "node:https";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import type { Answer } from "../answer.ts";

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
}

export interface Subject {
  request(path: string, options?: RequestOptions): Promise<Answer>;
  /** Collects lines of a stream until there are `count`, then breaks it off. */
  watch(path: string, count: number): { readonly started: Promise<void>; readonly events: Promise<WatchEvent[]> };
  /** A namespace of its own, so that cases do not meet. */
  makeNamespace(): Promise<string>;
  close(): Promise<void>;
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the cases look into objects of every kind
  readonly object: any;
}

const watchDeadlineMs = 15_000;

/**
 * ORCH_CONFORMANCE_URL and ORCH_CONFORMANCE_TOKEN name a server that runs already (also one of another make); the cases
 * speak nothing but HTTP.
 */
export async function openSubject(): Promise<Subject> {
  const url = process.env["ORCH_CONFORMANCE_URL"];
  if (url !== undefined) {
    return createSubject(url, { authorization: `Bearer ${process.env["ORCH_CONFORMANCE_TOKEN"] ?? ""}` });
  }
  const server: OrchServer = await createServer({
    controllers: false,
    tokens: { admin: { name: "admin", groups: ["system:masters"] } },
  });
  return createSubject(await server.listen(), { authorization: "Bearer admin" }, () => server.close());
}

function createSubject(
  url: string,
  credentials: Readonly<Record<string, string>>,
  close: () => Promise<void> = async () => {},
): Subject {
  const base = new URL(url);
  const target = { host: base.hostname, port: base.port, rejectUnauthorized: false };
  const send = (path: string, { method = "GET", headers = {}, body, text }: RequestOptions = {}): Promise<Answer> =>
    new Promise((done, fail) => {
      const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
      const given = {
        ...credentials,
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      };
      const call = request({ ...target, path, method, headers: given, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const all = Buffer.concat(chunks).toString("utf8");
          const isJson = String(answer.headers["content-type"]).includes("json");
          done({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: all,
            body: isJson && all !== "" ? JSON.parse(all) : undefined,
          });
        });
        answer.on("error", fail);
      });
      call.on("error", fail);
      call.end(sent);
    });

  let namespaces = 0;
  const tag = Math.random().toString(36).slice(2, 8);
  return {
    request: send,
    watch(path, count) {
      let begin = () => {};
      const started = new Promise<void>((done) => {
        begin = done;
      });
      const events = new Promise<WatchEvent[]>((done, fail) => {
        const seen: WatchEvent[] = [];
        const call = request({ ...target, path, headers: credentials, agent: false }, (answer) => {
          begin();
          let rest = "";
          answer.setEncoding("utf8");
          answer.on("data", (chunk: string) => {
            const lines = (rest + chunk).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines) seen.push(JSON.parse(line));
            if (seen.length >= count) call.destroy();
          });
          answer.on("close", () => done(seen));
        });
        call.on("error", (error) => (seen.length >= count ? done(seen) : fail(error)));
        setTimeout(() => call.destroy(new Error(`${seen.length} of ${count} events came`)), watchDeadlineMs).unref();
        call.end();
      });
      return { started, events };
    },
    async makeNamespace() {
      const name = `case-${tag}-${namespaces++}`;
      const { status } = await send("/api/v1/namespaces", { method: "POST", body: { metadata: { name } } });
      if (status !== 201) throw new Error(`the server answered ${status} to the creation of a namespace`);
      return name;
    },
    close,
  };
}
