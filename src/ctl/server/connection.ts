/** The way to the server of one run of a command: who we are there, requests by path, and connections for streams. */

import { STATUS_CODES } from "node:http";
import type { ClientAccess } from "../../client/config/access.ts";
import { openTransport, type Transport } from "../../client/config/transport.ts";
import type { Fetch } from "../../client/contract.ts";
import { lenientJson } from "../../client/requests/exact-json.ts";
import { createSender, type Sender } from "../../client/requests/send.ts";
import type { Upgrade } from "../../client/streams/contract.ts";
import type { ProgramEnvironment } from "../environment.ts";

export interface ServerConnectionOptions {
  readonly environment: ProgramEnvironment;
  /** Called when the server is first needed. */
  readonly access: () => ClientAccess;
  /** May throw: there is no server to connect to. */
  readonly beforeConnecting?: () => void;
  readonly requestTimeoutMs: () => number;
  readonly warn: (message: string) => void;
  /** Undefined: requests are not logged. */
  readonly trace: ((line: string) => void) | undefined;
  /** Undefined: headers are not logged. */
  readonly traceHeaders: ((line: string) => void) | undefined;
}

export class Connection {
  readonly #options: ServerConnectionOptions;
  #transport: Transport | undefined;
  #access: ClientAccess | undefined;
  #send: Sender | undefined;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
  }

  get access(): ClientAccess {
    this.#access ??= this.#options.access();
    return this.#access;
  }

  /** Requests by path. */
  get send(): Sender {
    this.#send ??= this.#createSender();
    return this.#send;
  }

  #createSender(): Sender {
    const { environment, warn, trace, traceHeaders } = this.#options;
    const server = environment.fetch === undefined ? this.access.server : "";
    return createSender({
      fetch: environment.fetch ?? namingServer(this.#openTransport().fetch, server),
      clock: environment.clock,
      userAgent: userAgentOf(environment),
      signal: environment.signal,
      codec: lenientJson,
      warn,
      observe:
        trace &&
        ((method, path, code, durationMs) => {
          if (code === undefined) return;
          const took = `${Math.round(durationMs)} milliseconds`;
          trace(`${method} ${server}${path} ${code} ${STATUS_CODES[code] ?? ""} in ${took}`);
        }),
      beforeSend:
        traceHeaders &&
        (({ accept }) => {
          traceHeaders("Request Headers:");
          traceHeaders(`    Accept: ${accept}`);
        }),
    });
  }

  /** Connections for streams. A server inside this process has none: it answers with a refusal. */
  get upgrade(): Upgrade {
    const { fetch, signal } = this.#options.environment;
    if (fetch === undefined) return this.#openTransport().upgrade;
    return (path, { method }) => fetch(path, { method, signal });
  }

  #openTransport(): Transport {
    const { environment, requestTimeoutMs, beforeConnecting } = this.#options;
    const { access } = this;
    beforeConnecting?.();
    this.#transport ??= openTransport(access, {
      clock: environment.clock,
      env: environment.env,
      // Only a credential plugin needs it, and looking opens the standard input.
      get isInteractive() {
        return environment.stdin.isTerminal;
      },
      userAgent: userAgentOf(environment),
      requestTimeoutMs: requestTimeoutMs(),
    });
    return this.#transport;
  }

  close(): void {
    this.#transport?.close();
  }
}

const userAgentOf = ({ program, softwareVersion }: ProgramEnvironment): string =>
  `${program}/${softwareVersion} (${process.platform}/${process.arch})`;

/** The error of a refused connection names the address as the user wrote it. */
function namingServer(fetch: Fetch, server: string): Fetch {
  return async (path, init) => {
    try {
      return await fetch(path, init);
    } catch (error) {
      const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
      if (isRefused && URL.canParse(server)) Object.assign(error, { host: new URL(server).host });
      throw error;
    }
  };
}
