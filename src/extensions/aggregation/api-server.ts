/** Aggregated servers: how this server finds them, checks that they answer, and passes them the user. */

import type { OutgoingHttpHeaders } from "node:http";
import { Agent } from "node:https";
import type { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { type AddressCheck, type Dial, httpsCall, type TlsIdentity } from "../../base/https-call.ts";
import { trusting } from "../../base/trusting-agent.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { ForeignDocument, RequestFacts } from "../../http/contract/routes.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { forward, type ShapedAnswer } from "../forwarding/forward.ts";
import { type AnswerHeaders, clientHeaders, isIdentity } from "../forwarding/headers.ts";
import { forwardUpgrade } from "../forwarding/upgrade.ts";

interface ApiServersOptions {
  readonly catalog: Catalog;
  /** A ready endpoint of a service, or its external name; throws if there is none. */
  readonly findEndpoint: (service: { namespace: string; name: string; port: number }) => Dial;
  readonly allows: AddressCheck;
  /** Aborts when this server stops. */
  readonly ending: AbortSignal;
  /** The certificate by which other servers recognize this one, and so trust its user headers. Absent: none is sent. */
  readonly identity?: { readonly cert: string; readonly key: string } | undefined;
  /** Headers of a request that is forwarded now, by which the other server goes on with a trace. Default: those of the client. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

export interface ApiServers {
  /** Forwards a request. Rejects only before the answer has begun. */
  forward(service: APIService, exchange: Exchange, facts: RequestFacts): Promise<void>;
  /** Whether the server answers for its group version. Rejects with an Error that says why not. */
  check(service: APIService): Promise<void>;
  /**
   * A document of the server. "unchanged": it still has this ETag; undefined: there is none. Rejects with an Error that says why it
   * cannot be fetched.
   */
  document(service: APIService, path: string, etag: string): Promise<ForeignDocument | "unchanged" | undefined>;
  close(): void;
}

/** How long a server may take to send its schema, and how large it may be, also decompressed. */
export const documentTimeoutMsMax = 20_000;
export const documentBytesMax = 16 * 1024 * 1024;
/** How long a server may take to answer a check. */
const checkTimeoutMs = 5_000;
const checkBytesMax = 4 * 1024 * 1024;
/** Idle connections to one server that stay open. */
const idleConnectionsMax = 32;

/** The name of the user of requests that this server makes for itself. */
const aggregatorName = "system:orch-aggregator";

export function createApiServers(options: ApiServersOptions): ApiServers {
  const { catalog, findEndpoint, allows, ending, identity, traceHeaders } = options;
  const name = catalog.environment.vocabulary.word(aggregatorName);
  const aggregator: User = { name, uid: "", groups: ["system:masters"], extra: new Map() };
  const agent = trusting(new Agent({ keepAlive: true, maxFreeSockets: idleConnectionsMax }));

  const locate = ({ spec }: APIService) => {
    const { namespace = "", name = "", port = 443 } = spec?.service ?? {};
    const dial = findEndpoint({ namespace, name, port });
    const tls: TlsIdentity = {
      serverName: `${name}.${namespace}.svc`,
      ...(spec?.caBundle ? { ca: Buffer.from(spec.caBundle, "base64").toString("utf8") } : {}),
      ...(spec?.insecureSkipTLSVerify ? { insecure: true } : {}),
      ...identity,
    };
    return { dial, tls, host: `${name}.${namespace}.svc:${port}` };
  };

  return {
    async forward(service, exchange, facts) {
      const { dial, tls, host } = locate(service);
      const destination = { scheme: "https", path: exchange.target, host, dial, tls, allows, agent } as const;
      const headers = {
        ...clientHeaders(exchange, facts),
        ...traceHeaders?.(),
        ...identityHeaders(facts.user),
      } as OutgoingHttpHeaders;
      const { upgrade } = exchange;
      if (upgrade === undefined)
        return await forward(exchange, { destination, headers, shape: shapeAnswer, upload: facts.beginUpload() });
      const back = facts.releaseSeat();
      try {
        await forwardUpgrade(exchange, upgrade, { destination: { ...destination, agent: false }, headers, ending });
      } finally {
        back();
      }
    },
    async check(service) {
      const { group = "", version = "" } = service.spec ?? {};
      const { dial, tls, host } = locate(service);
      const path = `/apis/${group}/${version}`;
      const where = `https://${dial.host}:${dial.port}${path}`;
      const call = {
        method: "GET",
        tls,
        timeoutMs: checkTimeoutMs,
        answerBytesMax: checkBytesMax,
        dial,
        allows,
      } as const;
      const headers = identityHeaders(aggregator);
      const answer = await httpsCall({ ...call, url: `https://${host}${path}`, headers: flat(headers) }).catch(
        (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          throw new Error(`failing or missing response from ${where}: ${reason}`);
        },
      );
      if (answer.status < 200 || answer.status > 299) {
        throw new Error(`failing or missing response from ${where}: bad status from ${where}: ${answer.status}`);
      }
    },
    async document(service, path, etag) {
      const { dial, tls, host } = locate(service);
      const answer = await httpsCall({
        url: `https://${host}${path}`,
        method: "GET",
        tls,
        timeoutMs: documentTimeoutMsMax,
        answerBytesMax: documentBytesMax,
        dial,
        allows,
        signal: ending,
        headers: {
          ...flat(identityHeaders(aggregator)),
          accept: "application/json",
          "accept-encoding": "gzip",
          ...(etag === "" ? {} : { "if-none-match": etag }),
        },
      });
      if (answer.status === 304 && etag !== "") return "unchanged";
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
      return { bytes: answer.bytes, etag: answer.etag };
    },
    close: () => agent.destroy(),
  };
}

/** Clients would send their credentials to wherever a redirect leads. */
function shapeAnswer(status: number, headers: AnswerHeaders): ShapedAnswer {
  if (status >= 300 && status < 400 && status !== 304) {
    const problem = "the backend attempted to redirect this request, which is not permitted";
    throw new StatusError(undefined, problem, { code: 502 });
  }
  return { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfThisServer(name))) };
}

/** Only this server decides which origins may read its answers, who the user is, and what a browser sends it later. */
const isOfThisServer = (name: string): boolean =>
  isIdentity(name) || name.startsWith("access-control-") || name === "set-cookie" || name === "set-cookie2";

/** The user headers of a front proxy; the other server trusts them because of our certificate. */
function identityHeaders({ name, groups, extra }: User): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { "x-remote-user": name };
  if (groups.length > 0) headers["x-remote-group"] = groups;
  for (const [key, values] of extra) headers[`x-remote-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  return headers;
}

const flat = (headers: Record<string, string | readonly string[]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : value.join(",")]),
  );
