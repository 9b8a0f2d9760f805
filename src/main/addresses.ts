/** The names and addresses under which clients reach a server, derived from the address it listens on. */

import { hostname, networkInterfaces } from "node:os";
import { FlagError } from "../base/flags/flag.ts";
import { isIpv6, parseIp } from "../base/ip-address.ts";

export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}

/** "0.0.0.0" and "::" stand for every address of the machine. */
function isUnspecified(address: string): boolean {
  return ["0.0.0.0", "::", ""].includes(address);
}

export function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

/** For the serving certificate: always the loopback names, and those of the machine if the server is reachable from outside. */
export function servingHosts(bindAddress: string): readonly string[] {
  const local = ["localhost", "127.0.0.1", "::1"];
  if (isLoopback(bindAddress)) return [...new Set([...local, bindAddress])];
  if (!isUnspecified(bindAddress)) return [...new Set([...local, hostname(), bindAddress])];
  // Addresses that are valid only together with an interface do not belong in a certificate.
  const all = interfaceAddresses().filter((address) => !address.startsWith("fe80:"));
  return [...new Set([...local, hostname(), ...all])];
}

/** The URL to give to a client on the same machine. */
export function localUrl(bindAddress: string, port: number): string {
  const host = isUnspecified(bindAddress) ? "127.0.0.1" : bindAddress;
  return `https://${isIpv6(host) ? `[${host}]` : host}:${port}`;
}

/**
 * The address at which clients on other machines reach the server: the given one, the address it listens on, or an address of
 * the machine. Undefined: it can only be reached from this machine.
 */
export function advertisedAddress(given: string, bindAddress: string): string | undefined {
  const isUseful = (address: string) =>
    parseIp(address) !== undefined && !isLoopback(address) && !isUnspecified(address);
  if (isUseful(given)) return given;
  if (isUseful(bindAddress)) return bindAddress;
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  return (own.find(({ family }) => family === "IPv4") ?? own[0])?.address;
}

interface NamesOfServer {
  /** --external-hostname, --advertise-address and --bind-address. */
  readonly hostname: string;
  readonly advertised: string;
  readonly bound: string;
}

/** The URL for clients on any machine: with the given name, or otherwise with an address that the server listens on. */
export function externalUrl({ hostname: named, advertised, bound }: NamesOfServer, port: number): string {
  if (named !== "") return localUrl(named, port);
  const address = isLoopback(bound) ? advertised : advertisedAddress(advertised, bound);
  return localUrl(address || bound, port);
}

/** The error for a person when the system does not let the server listen; other errors are returned unchanged. */
export function listenProblem(cause: unknown, bindAddress: string, port: number): unknown {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const where = `${bindAddress}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return new Error(`${where} is in use; stop what listens there, or choose another --secure-port`, { cause });
    case "EACCES":
      return new Error(`this user may not listen on ${where}; choose a --secure-port above 1023`, { cause });
    case "EADDRNOTAVAIL":
      return new FlagError(`--bind-address: ${bindAddress} is not an address of this machine`, { cause });
    default:
      return cause;
  }
}
