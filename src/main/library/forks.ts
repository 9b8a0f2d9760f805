/**
 * /forks: copies of a server for tests in any language, each with a port and a client configuration of its own.
 *
 *   POST /forks            makes one of the present state, with a given or a new name: {"name": "t1"}
 *   GET /forks             lists them; GET /forks/NAME shows one
 *   DELETE /forks/NAME     closes it; those that are left are closed with their server
 */

import type { Exchange } from "../../http/contract/exchange.ts";
import type { Route } from "../../http/contract/routes.ts";
import { isObject } from "../../machinery/json/json-value.ts";
import {
  alreadyExists,
  badRequest,
  methodNotAllowed,
  notFound,
  tooManyRequests,
} from "../../machinery/status/status.ts";
import type { ClientConfig } from "./options.ts";

/** How many there may be at once: each has a port. */
export const forksMax = 500;
const bodyBytesMax = 4_096;
const retryAfterSeconds = 1;
const subject = { group: "", kind: "Fork", resource: "forks" };
const path = "/forks";

/** A route that needs no more than the exchange. */
interface ForkRoute extends Route {
  handle(exchange: Exchange): Promise<void>;
}

export interface Forks {
  readonly routes: readonly ForkRoute[];
  close(): Promise<void>;
}

/** The part of a server that is used here. */
interface Forkable {
  fork(): Promise<Fork>;
}

interface Fork {
  clientConfig(): Promise<ForkConfig>;
  close(): Promise<void>;
}

type ForkConfig = Omit<ClientConfig, "kubeconfig">;

interface OpenFork {
  readonly server: Fork;
  readonly config: ForkConfig;
}

export function createForks(origin: () => Forkable): Forks {
  /** A promise: it is being made. */
  const open = new Map<string, Promise<OpenFork>>();
  let made = 0;

  const find = async (name: string): Promise<OpenFork> => {
    const fork = open.get(name);
    if (fork === undefined) throw notFound(subject, name);
    return fork;
  };
  const make = async (exchange: Exchange): Promise<void> => {
    const given = await nameIn(exchange);
    if (given !== undefined && open.has(given)) throw alreadyExists(subject, given);
    if (open.size >= forksMax)
      throw tooManyRequests(`there are ${forksMax} forks; delete those that are not needed`, retryAfterSeconds);
    const name = given ?? newName();
    const opening = openFork(origin());
    open.set(name, opening);
    try {
      send(exchange, 201, shown(name, (await opening).config));
    } catch (error) {
      open.delete(name);
      throw error;
    }
  };
  const newName = (): string => {
    do made++;
    while (open.has(`fork-${made}`));
    return `fork-${made}`;
  };

  return {
    routes: [
      {
        path,
        async handle(exchange) {
          if (exchange.method === "POST") return make(exchange);
          if (exchange.method !== "GET") throw methodNotAllowed(subject, exchange.method);
          const forks = await Promise.all([...open].map(async ([name, fork]) => brief(name, (await fork).config)));
          send(exchange, 200, { forks });
        },
      },
      {
        path: `${path}/`,
        listed: false,
        async handle(exchange) {
          const name = exchange.target.slice(path.length + 1).replace(/\?.*$/, "");
          if (exchange.method === "GET") return send(exchange, 200, shown(name, (await find(name)).config));
          if (exchange.method !== "DELETE") throw methodNotAllowed(subject, exchange.method);
          const fork = await find(name);
          open.delete(name);
          await fork.server.close();
          send(exchange, 200, brief(name, fork.config));
        },
      },
    ],
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map((fork) => fork.then(({ server }) => server.close()).catch(() => {})));
    },
  };
}

async function openFork(origin: Forkable): Promise<OpenFork> {
  const server = await origin.fork();
  try {
    return { server, config: await server.clientConfig() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

const brief = (name: string, { server }: ForkConfig) => ({ name, server });

/** `configuration`: the content of a file for KUBECONFIG. The rest is the same for programs that make their own. */
function shown(name: string, { server, authority, certificate, key, text }: ForkConfig) {
  return {
    name,
    server,
    configuration: text,
    certificateAuthority: authority,
    clientCertificate: certificate,
    clientKey: key,
  };
}

function send(exchange: Exchange, code: number, body: unknown): void {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  exchange.send(code, headers, `${JSON.stringify(body)}\n`);
}

/** Undefined: the body names none. */
async function nameIn(exchange: Exchange): Promise<string | undefined> {
  const body = await exchange.readBody(bodyBytesMax);
  if (body.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw badRequest('the body must be empty or JSON, such as {"name": "t1"}');
  }
  const name = isObject(value) ? value["name"] : null;
  if (name === undefined) return undefined;
  if (typeof name !== "string" || !/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name))
    throw badRequest("name: must be at most 63 lower-case letters, digits, dots and dashes");
  return name;
}
