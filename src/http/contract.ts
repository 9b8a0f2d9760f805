/** From socket to verb and back: what a transport gives the handler chain, and what the chain needs of everyone else. */

import type { Admission } from "../admission/contract.ts";
import type { Audit } from "../audit/contract.ts";
import type { AuthenticationOutcome, Credentials, User } from "../authn/contract.ts";
import type { Attributes, Authorizer } from "../authz/contract.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metric } from "../base/metrics.ts";
import type { BoundKind, Catalog, GroupListing } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Action, Registry } from "../registry/contract.ts";

/** Names in lower case. A list is sent as that many headers of the name. */
export type ResponseHeaders = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * One request and its answer, whatever carries them: HTTP/1.1, an HTTP/2 stream, or memory. The transport checks nothing
 * but framing; everything about the target, the headers and the body is judged by the chain.
 */
export interface Exchange extends Credentials {
  readonly transport: "http1" | "http2" | "memory";
  readonly method: string;
  /** The request target as it came: path and query, escapes untouched. */
  readonly target: string;
  /** The client's address, for logs and the audit record; "" in memory. */
  readonly remoteAddress: string;
  /** Who asks, where the transport itself knows (memory only); authenticators are not asked then. */
  readonly presetUser: User | undefined;

  /** Aborts when the client goes away before the answer has ended. Made on first use. */
  readonly signal: AbortSignal;
  /** Whether the client has gone away. */
  readonly gone: boolean;

  /**
   * The whole body. More than `bytesMax`: throws `tooLarge` from machinery/status; the rest is not read. Once only.
   * `onBytes` hears of every chunk as it arrives (the cap on bytes of all bodies under way) and may throw.
   */
  readBody(bytesMax: number, onBytes?: (bytes: number) => void): Promise<Buffer>;
  /** The body as it arrives, for whoever passes it on. Once only, and not together with readBody. */
  body(): AsyncIterable<Buffer>;

  /** Status line and headers have gone out; a refusal can no longer be sent as a Status. */
  readonly responded: boolean;
  /** The status that was answered; 0: none yet. */
  readonly status: number;
  /**
   * A whole answer in one step. Answers to HEAD leave the body out. A second answer (after a timeout has answered) is
   * ignored, by `respond`, `write` and `end` as well.
   */
  send(status: number, headers: ResponseHeaders, body?: Buffer | string): void;
  /** Begins an answer that is written in pieces. */
  respond(status: number, headers: ResponseHeaders): void;
  /** The same with status 200 for an answer of events, which a client that asked for a WebSocket gets as messages. */
  respondEvents(headers: ResponseHeaders): void;
  /** False: the client takes no more for now; `drained` resolves when it does, or when it is gone. Never throws. */
  write(chunk: Buffer): boolean;
  drained(): Promise<void>;
  end(): void;
  /** Lets the connection go once this answer is out (clients that nobody knows hold none open on HTTP/2). */
  closeAfter(): void;
  /** Breaks the connection off (the stream, for HTTP/2): the only way left to say that an answer is incomplete. */
  destroy(): void;
  /** Written but not yet taken by the client. */
  readonly bufferedBytes: number;
  /** Calls back once when the answer has gone out or the client has gone away. */
  onFinish(callback: () => void): void;
}

export type Handler = (exchange: Exchange) => Promise<void>;

/** What /version shows. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export type HealthEndpoint = "healthz" | "livez" | "readyz";

/** One line of the health endpoints. `check` throws (or rejects) when it is not well; the reason is only logged. */
export interface HealthCheck {
  /** "ping", "poststarthook/rbac/bootstrap-roles". */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Counts as well for livez during --livez-grace-period. */
  readonly graceful?: boolean;
  check(endpoint: HealthEndpoint): void | Promise<void>;
}

/** The life of one server as its answers show it; main moves it forward. See lifecycle.ts. */
export interface Lifecycle {
  /** True from the first sign of shutdown: readyz turns red, everything else still answers. */
  readonly draining: boolean;
  /** Aborts when connections are about to be closed: watches end cleanly. */
  readonly ending: AbortSignal;
  drain(): void;
  end(): void;
  /** Ends every watch cleanly: clients come back, and are asked again who they are and what they may do. */
  endWatches(): void;
  /** Calls back whenever watches are to end, at the end of the server too. */
  onEndWatches(callback: () => void): void;
}

export interface Limits {
  /** Requests that only read (get, list) under way at once; watches do not count. */
  readonly readingMax: number;
  readonly mutatingMax: number;
  /** Bytes of all request bodies that are being read or worked on. */
  readonly bodiesBytesMax: number;
  readonly bodyBytesMax: number;
  readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts this long to twice this long. */
  readonly watchTimeoutMinMs: number;
  /** Answers above this are compressed for clients that ask. */
  readonly compressAboveBytes: number;
}

/** A request that has been authenticated and parsed, as hooks outside this room see it; `user` is whom it acts as. */
export interface RequestFacts extends Attributes {
  readonly auditId: string;
  /** Who authenticated, where that is somebody else (impersonation). */
  readonly authenticatedUser: User;
  /** "x509", "static-token", …; "" before authentication. */
  readonly authenticatedBy: string;
  /** Which credential it was, never the credential itself; "": the authenticator names none. */
  readonly credentialId: string;
  /** What admission noted for the audit record. */
  readonly auditAnnotations: ReadonlyMap<string, string>;
  /** Headers that carried a credential, lower case: they must not travel further. */
  readonly spentHeaders: readonly string[];
}

/** Who is asking; undefined: no credential was presented. Throws 401. */
export interface RequestAuthenticator {
  authenticate(credentials: Credentials): AuthenticationOutcome | Promise<AuthenticationOutcome>;
  /** Whether a header (lower case) may carry a credential and so must not travel further. Absent: none does. */
  isSpent?(header: string): boolean;
}

/** Turns `user` into whom the Impersonate-* headers name, or gives `user` back. Throws a 403 Status. */
export type Impersonate = (credentials: Credentials, user: User, authorizer: Authorizer) => User | Promise<User>;

/** Server-side apply; machinery/apply implements it. Refuses with the 409 and its causes. */
export type ApplyConfiguration = (request: {
  readonly kind: BoundKind;
  readonly live: ApiObject | undefined;
  readonly applied: ApiObject;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly now: string;
}) => ApiObject | Promise<ApiObject>;

/** A path that is no resource (a console, key sets): answers by itself. Authorized as any path. */
export interface Route {
  /** "/openid/v1/jwks" exactly, or everything below for a path that ends in "/". */
  readonly path: string;
  /** Whether the path is listed at "/". Default: true. */
  readonly listed?: boolean;
  /** "GET": every other method is 405. Default: any, and `handle` sees to it. */
  readonly method?: "GET";
  handle(exchange: Exchange, facts: RequestFacts): void | Promise<void>;
}

/** Group versions served elsewhere (aggregation). They take precedence over the catalog's. */
export interface Delegate {
  groups(): readonly GroupListing[];
  /** Whether requests of this group version are to be handed over. */
  serves(group: string, version: string): boolean;
  handle(exchange: Exchange, facts: RequestFacts): Promise<void>;
}

/** For createHandler in chain.ts. */
export interface HandlerOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** One that asks all others in turn (authn/union.ts). */
  readonly authenticator: RequestAuthenticator;
  /** Whether requests that carry no credential (`authenticator` answers undefined) go on as system:anonymous. Default: false. */
  readonly anonymous?: boolean;
  readonly authorizer: Authorizer;
  /** By the names that declarations give: virtual kinds and acting subresources. */
  readonly actions: ReadonlyMap<string, Action>;
  readonly apply: ApplyConfiguration;
  /** Asked about connections, which no registry sees. Absent: nobody is asked. */
  readonly admission?: Admission;
  readonly impersonate?: Impersonate;
  /** Calls back after rules or credentials changed, so that open watches are checked again. Absent: they never are. */
  readonly onAccessChange?: (callback: () => void) => void;
  /** Absent: nothing is audited. */
  readonly audit?: Audit;
  readonly routes?: readonly Route[];
  readonly delegate?: Delegate;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** --livez-grace-period. Default: 0. */
  readonly livezGraceMs?: number;
  readonly lifecycle: Lifecycle;
  readonly limits?: Partial<Limits>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether /metrics is served. Default: true. */
  readonly metricsPath?: boolean;
  /** Metrics of other rooms to be shown with those of this one. */
  readonly metrics?: readonly Metric[];
}

/** PEM texts of the serving certificate and the authorities whose client certificates are asked for. */
export interface ServingCertificate {
  readonly key: string | Buffer;
  readonly certificate: string | Buffer;
}

/** For openListener in listen.ts. */
export interface ListenerOptions {
  readonly handler: Handler;
  /** "127.0.0.1", "0.0.0.0", "::". */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** Further certificates by server name ("api.example.com", "*.example.com"); others get `serving`. */
  readonly byServerName?: ReadonlyMap<string, ServingCertificate>;
  /** Names sent to clients as acceptable issuers; empty or absent: any. Certificates are judged by authenticators. */
  readonly clientAuthorities?: readonly (string | Buffer)[];
  readonly minVersion?: "TLSv1.2" | "TLSv1.3";
  /** OpenSSL names joined by ":"; absent: Node's own. */
  readonly ciphers?: string;
  readonly connectionsMax?: number;
  readonly streamsPerConnectionMax?: number;
  /** How long a client may take for its TLS handshake. Default: 10 seconds. */
  readonly handshakeTimeoutMs?: number;
  /** How long a client may take for the headers of a request. Default: 32 seconds. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take for a whole request. Default: 60 seconds. */
  readonly requestReceiveTimeoutMs?: number;
  /** How long a client may leave an answer lying before it is broken off. Default: 60 seconds. */
  readonly stallMs?: number;
  /** How long a connection without requests is kept. Default: 90 seconds. */
  readonly idleMs?: number;
  readonly log: Log;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Connections accepted from now on use these; open ones keep theirs. */
  replaceCertificates(serving: ServingCertificate, byServerName?: ReadonlyMap<string, ServingCertificate>): void;
  /**
   * Stops accepting, lets requests under way finish for at most `graceMs` (default: 10 seconds), then breaks off what is
   * left. Watches must have been ended before (Lifecycle.end). Resolves when every socket is closed.
   */
  close(graceMs?: number): Promise<void>;
}

/** For createMemoryFetch in memory-exchange.ts. */
export interface MemoryFetchOptions {
  /** Who every request comes from; absent: requests are authenticated by their headers as on the network. */
  readonly user?: User;
}
/** As the global fetch, without a socket. A path ("/api/v1/pods") is enough; of a URL only path and query count. */
export type MemoryFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
