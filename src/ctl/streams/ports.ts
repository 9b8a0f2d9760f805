/** Parses the ports of port-forward, and resolves the port names of services and containers. */

import { isIPv6 } from "node:net";
import { CtlError } from "../errors.ts";
import { type Json, list, nameOf, number, text } from "../json.ts";

export interface ForwardedPort {
  /** 0: any free port. */
  readonly local: number;
  readonly remote: number;
}

/** "8080:80", "80" or ":80"; remote ports may have names. */
export function forwardedPorts(words: readonly string[], kind: string, object: Json, pod: Json): ForwardedPort[] {
  return words.map((word) => {
    const parts = word.split(":");
    if (parts.length > 2) throw new CtlError(`invalid port format '${word}'`);
    const [first = "", second] = parts;
    const named = second ?? first;
    const asked = kind === "Service" ? servicePort(object, named) : podPort(pod, named);
    const remote = kind === "Service" ? targetPort(object, pod, asked) : asked;
    const local = second === undefined ? asked : first === "" ? 0 : portNumber(first, "local");
    return { local, remote };
  });
}

function portNumber(word: string, side: "local" | "remote"): number {
  if (!/^\d{1,5}$/.test(word) || Number(word) > 65_535)
    throw new CtlError(`error parsing ${side} port '${word}': it must be a number of at most 65535`);
  const port = Number(word);
  if (side === "remote" && port === 0) throw new CtlError("remote port must be > 0");
  return port;
}

function podPort(pod: Json, word: string): number {
  if (word === "" || /^\d+$/.test(word)) return portNumber(word, "remote");
  const found = list(pod, "spec", "containers")
    .flatMap((container) => list(container, "ports"))
    .find((port) => port["name"] === word);
  if (found === undefined) throw new CtlError(`Pod '${nameOf(pod)}' does not have a named port '${word}'`);
  refuseUdp(found, word);
  return number(found, "containerPort") ?? 0;
}

function servicePort(service: Json, word: string): number {
  if (word === "" || /^\d+$/.test(word)) return portNumber(word, "remote");
  const found = list(service, "spec", "ports").find((port) => port["name"] === word);
  if (found === undefined) throw new CtlError(`Service '${nameOf(service)}' does not have a named port '${word}'`);
  return number(found, "port") ?? 0;
}

/** The target port of a service port; for a headless service it is the port itself. */
function targetPort(service: Json, pod: Json, port: number): number {
  const same = list(service, "spec", "ports").filter((one) => number(one, "port") === port);
  const found = same.find((one) => text(one, "protocol") !== "UDP") ?? same[0];
  if (found === undefined) throw new CtlError(`Service ${nameOf(service)} does not have a service port ${port}`);
  refuseUdp(found, String(port));
  if (text(service, "spec", "clusterIP") === "None") return port;
  const target = found["targetPort"];
  if (typeof target === "string" && target !== "" && !/^\d+$/.test(target)) return podPort(pod, target);
  return Number(target) || port;
}

function refuseUdp(port: Json, word: string): void {
  if (text(port, "protocol") === "UDP") throw new CtlError(`UDP protocol is not supported for ${word}`);
}

/** An address and a port as one text, as in URLs. */
export const hostPort = (address: string, port: number): string =>
  isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
