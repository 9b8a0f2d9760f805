/** Ports of its node that a pod wants. */

import type { PodSpec } from "./spec.ts";

export interface HostPort {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
}

const anyAddress = "0.0.0.0";

export const hostPortsOf = (spec: Pick<PodSpec, "containers"> | undefined): readonly HostPort[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ protocol = "TCP", hostIP = "", hostPort = 0 }) => ({
        protocol,
        address: hostIP === "" ? anyAddress : hostIP,
        port: hostPort,
      })),
  );

/** Whether two pods want the same port of a node: each address conflicts with the one that stands for all. */
export const sharesPort = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.address === b.address || a.address === anyAddress || b.address === anyAddress);
