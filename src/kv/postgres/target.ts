/** Where a PostgreSQL server is and who connects, as an address and files say. */

import { isIP } from "node:net";

export interface PostgresTarget {
  /** Tried in this order until one of them takes writes. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /** Undefined: no TLS. */
  readonly tls?: PostgresTls;
}

export interface PostgresHost {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

interface PostgresTls {
  /** PEM texts; without an authority those of the system count. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** `encrypted`: whoever answers is believed, as with `sslmode=require`. */
  readonly verify: "host" | "authority" | "encrypted";
}

interface PostgresFiles {
  /** Takes precedence over the password in the address. */
  readonly password?: string | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const defaultPort = 5432;
const modes = ["disable", "require", "verify-ca", "verify-full"];
const parameters = ["sslmode", "host"];

/**
 * Reads `postgres://user@host:5432/database?sslmode=verify-full`. Several hosts are separated by commas. Without `sslmode` a server on
 * this machine is spoken to without TLS, and any other with its certificate checked. Throws an Error in one sentence, without the password.
 */
export function parsePostgresTarget(address: string, files: PostgresFiles = {}): PostgresTarget {
  const match = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(address);
  if (match === null) throw new Error("the address of PostgreSQL must look like postgres://user@host:5432/database");
  const [, credentials = "", authority = "", path = "", query = ""] = match;
  const [user, inAddress] = credentials.split(/:(.*)/s).map((part) => decode(part));
  if (!user) throw new Error("the address of PostgreSQL must name a user, as in postgres://user@host/database");
  const database = decode(path) || user;
  const options = new URLSearchParams(query);
  for (const name of options.keys()) {
    if (parameters.includes(name)) continue;
    throw new Error(
      `"${name}" is not a parameter of the address of PostgreSQL; allowed are ${parameters.join(" and ")}`,
    );
  }
  const hosts = parseHosts(options.get("host") ?? authority);
  const mode = options.get("sslmode") ?? (hosts.every(isLocal) && files.ca === undefined ? "disable" : "verify-full");
  if (!modes.includes(mode)) throw new Error(`sslmode must be one of ${modes.join(", ")}, not "${mode}"`);
  const password = files.password?.replace(/\r?\n$/, "") ?? inAddress;
  return { hosts, database, user, ...(password === undefined ? {} : { password }), ...tlsOf(mode, files) };
}

/** Whether bytes to it leave this machine. */
export function isLocal({ host }: PostgresHost): boolean {
  return (
    host.startsWith("/") || host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
  );
}

/** The servers of a target as people name them, without user and password. */
export function namesOf({ hosts, database }: PostgresTarget): string {
  return `${hosts.map(({ host, port }) => (host.startsWith("/") ? host : `${host}:${port}`)).join(", ")} (database ${database})`;
}

function tlsOf(mode: string, { ca, cert, key }: PostgresFiles): { tls?: PostgresTls } {
  if (mode === "disable") return {};
  if ((cert === undefined) !== (key === undefined))
    throw new Error("a client certificate for PostgreSQL needs its key, and a key its certificate");
  const verify = mode === "require" && ca === undefined ? "encrypted" : mode === "verify-full" ? "host" : "authority";
  return {
    tls: {
      verify,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}

function parseHosts(text: string): PostgresHost[] {
  return (text === "" ? "localhost" : text).split(",").map((part) => {
    const whole = decode(part);
    if (whole.startsWith("/")) return { host: whole, port: defaultPort };
    const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(whole) ?? [];
    const number = port === undefined ? defaultPort : Number(port);
    if (host === "" || number < 1 || number > 65_535)
      throw new Error(`"${whole}" is not a host of PostgreSQL, as in db.example.com:5432`);
    return { host: host.replace(/^\[|\]$/g, ""), port: number };
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("the address of PostgreSQL has a percent sign that encodes nothing");
  }
}
