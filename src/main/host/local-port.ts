/** The port of the program that stands in for the pods of a Deployment. */

import type { Deployment, Service } from "../../kit/kinds.ts";

/** From the ports of containers to those on which the program listens instead. */
export type PortMap = ReadonlyMap<number, number>;

/** Reads "8443:9443": what the pods would serve on 8443, the program serves on 9443. Undefined: it is not such a text. */
export function readPorts(texts: readonly string[]): PortMap | undefined {
  const pairs = texts.map((text) => /^(\d{1,5}):(\d{1,5})$/.exec(text)?.slice(1).map(Number));
  const isPort = (port = 0) => port >= 1 && port <= 65_535;
  if (!pairs.every((pair) => pair?.every(isPort))) return undefined;
  return new Map(pairs.map((pair) => [pair?.[0] ?? 0, pair?.[1] ?? 0]));
}

/** Where the program answers what is sent to a port of the Service. */
export function localPort(service: Service, deployment: Deployment, port: number, ports: PortMap): number {
  const target = service.spec?.ports?.find((one) => one.port === port)?.targetPort ?? port;
  const containers = deployment.spec?.template?.spec?.containers ?? [];
  const named = containers.flatMap((container) => container.ports ?? []).find(({ name }) => name === target);
  const number = typeof target === "number" ? target : (named?.containerPort ?? port);
  return ports.get(number) ?? number;
}
