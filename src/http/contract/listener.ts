/** Listening on a port, and fetch without a port. */

import type { Log } from "../../base/log.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Handler, MayUpgrade } from "./exchange.ts";

/** PEM texts of the serving certificate and the authorities whose client certificates are requested. */
export interface ServingCertificate {
  readonly key: string | Buffer;
  readonly certificate: string | Buffer;
}

/** For openListener in listen.ts. */
export interface ListenerOptions {
  readonly handler: Handler;
  /** Which requests for another protocol the handler forwards. Default: none. */
  readonly mayUpgrade?: MayUpgrade;
  /** "127.0.0.1", "0.0.0.0", "::". */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** Further certificates by server name ("api.example.com", "*.example.com"); others get `serving`. */
  readonly byServerName?: ReadonlyMap<string, ServingCertificate>;
  /** Names sent to clients as acceptable issuers; empty or absent: any. Authenticators verify the certificates. */
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
  /** How long a client may stop reading an answer before its connection is destroyed. Default: 60 seconds. */
  readonly stallMs?: number;
  /** How long a connection without requests is kept. Default: 90 seconds. */
  readonly idleMs?: number;
  readonly log: Log;
  /** Called for each client whose TLS handshake fails. */
  readonly onHandshakeError?: () => void;
}

export interface Listener {
  readonly port: number;
  /** Connections accepted from now on use these; open ones keep theirs. */
  replaceCertificates(serving: ServingCertificate, byServerName?: ReadonlyMap<string, ServingCertificate>): void;
  /**
   * Stops accepting, waits for `quiet` (default: not at all) and then at most `graceMs` (default: 10 seconds) for what is still
   * open, and destroys the rest. Watches must have been ended before (Lifecycle.end). Resolves when every socket is closed.
   */
  close(graceMs?: number, quiet?: Promise<unknown>): Promise<void>;
}

/** For createMemoryFetch in memory-exchange.ts. */
export interface MemoryFetchOptions {
  /** The user of every request; absent: requests are authenticated by their headers as on the network. */
  readonly user?: User;
  /** Whether a request with a credential of its own (Authorization) is authenticated by it, and not `user`. Default: false. */
  readonly honoursCredentials?: boolean;
  /** Called when a caller begins to wait for an answer or for a part of one; the returned function, when the wait is over. */
  readonly hold?: (() => () => void) | undefined;
}

/** A fetch whose user is given for each request; undefined: the request is authenticated by its headers as on the network. */
export type MemoryFetchAs = (user: User | undefined, ...request: Parameters<MemoryFetch>) => Promise<Response>;

/** Like the global fetch, without a socket. A path ("/api/v1/pods") is enough; only the path and query of a URL are used. */
export type MemoryFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
