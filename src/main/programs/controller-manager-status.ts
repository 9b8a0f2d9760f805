/** The TLS port of the controller manager: /healthz for every caller, /metrics and /configz for callers that may read them. */

import { createServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { TokenReview } from "../../api/authentication/v1/token-review.ts";
import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import type { Client } from "../../client/contract.ts";
import type { ServingCertificate } from "../../http/contract/listener.ts";
import { metricsContentType } from "../../metrics/exposition.ts";

interface StatusPortOptions {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly serving: ServingCertificate;
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  /** In OpenSSL's form; undefined: Node's own choice. */
  readonly ciphers: string | undefined;
  /** Authenticates and authorizes callers at the API server. */
  readonly client: Client;
  readonly openPaths: readonly string[];
  /** The text of /metrics. */
  metrics(): Promise<string>;
  /** Shown by /configz. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Undefined: healthy. */
  problem(): string | undefined;
}

interface StatusPort {
  readonly port: number;
  close(): Promise<void>;
}

/** Callers that send longer headers or take longer are refused without a review by the server. */
const headerBytesMax = 16 * 1024;
const requestMsMax = 10_000;

export async function openStatusPort(options: StatusPortOptions): Promise<StatusPort> {
  const { serving, minVersion, ciphers } = options;
  const tls = {
    cert: serving.certificate,
    key: serving.key,
    minVersion,
    ...(ciphers === undefined ? {} : { ciphers }),
  };
  const server: HttpsServer = createServer(
    { ...tls, maxHeaderSize: headerBytesMax, requestTimeout: requestMsMax },
    (request, response) => {
      const path = (request.url ?? "/").split("?")[0] ?? "/";
      const send = (code: number, text: string, type = "text/plain; charset=utf-8") => {
        response.writeHead(code, { "content-type": type, "x-content-type-options": "nosniff" }).end(text);
      };
      void answer(options, path, request.headers.authorization ?? "", request.method ?? "GET").then(
        ([code, text, type]) => send(code, text, type),
        () => send(500, "the request could not be authorized\n"),
      );
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = readonly [code: number, text: string, type?: string];

async function answer(
  options: StatusPortOptions,
  path: string,
  authorization: string,
  method: string,
): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD") return [405, "only GET is answered\n"];
  if (!options.openPaths.includes(path)) {
    const judged = await check(options.client, authorization, path);
    if (judged !== undefined) return judged;
  }
  switch (path) {
    case "/healthz": {
      const problem = options.problem();
      return problem === undefined ? [200, "ok"] : [500, `${problem}\n`];
    }
    case "/metrics":
      return [200, await options.metrics(), metricsContentType];
    case "/configz":
      return [200, `${JSON.stringify(options.configuration)}\n`, "application/json"];
    default:
      return [404, "not found\n"];
  }
}

/** Undefined: the caller is allowed. */
async function check(client: Client, authorization: string, path: string): Promise<Answer | undefined> {
  const [, token = ""] = /^Bearer ([^\s]{1,8192})$/i.exec(authorization) ?? [];
  if (token === "") return [401, "a bearer token is required\n"];
  const review = await client.of(TokenReview).create({ metadata: {}, spec: { token } });
  const user = review.status?.user;
  if (review.status?.authenticated !== true || user === undefined) return [401, "the token is not valid\n"];
  const { username = "", groups, extra } = user;
  const access = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: username,
      ...(groups ? { groups } : {}),
      ...(extra ? { extra } : {}),
      nonResourceAttributes: { path, verb: "get" },
    },
  });
  return access.status?.allowed ? undefined : [403, `${username} may not read ${path}\n`];
}
