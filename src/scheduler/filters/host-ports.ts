/** Ports of the node that the pod wants must be free. */

import { sharesPort } from "../../api/core/v1/pod/host-ports.ts";
import { type NodeFilter, rejected } from "./filter.ts";

const refusal = rejected("node(s) didn't have free ports for the requested pod ports", true);

export const hostPorts: NodeFilter = ({ hostPorts: wanted }) => {
  if (wanted.length === 0) return undefined;
  return ({ pods }) => {
    for (const other of pods.values())
      if (other.hostPorts.some((taken) => wanted.some((port) => sharesPort(port, taken)))) return refusal;
    return undefined;
  };
};
