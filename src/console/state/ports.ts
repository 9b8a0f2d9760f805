/** The ports of pods and services that can be forwarded. */

import { type Json, part, parts, text } from "../server/json.ts";

export interface NamedPort {
  /** "http", "8080". */
  readonly label: string;
  /** Of the pod. */
  readonly port: number;
}

const isTcp = (port: Json): boolean => ["", "TCP"].includes(text(port, "protocol"));

/** Those that the containers of a pod name. */
export const portsOfPod = (pod: Json): NamedPort[] =>
  parts(pod, "spec", "containers")
    .flatMap((container) => parts(container, "ports"))
    .filter(isTcp)
    .map((port) => ({
      label: labelOf(text(port, "name"), text(port, "containerPort")),
      port: Number(port["containerPort"]),
    }));

/** Those of a service, as ports of one of its pods; a port whose name no container has is left out. */
export function portsOfService(service: Json, pod: Json): NamedPort[] {
  const isHeadless = text(service, "spec", "clusterIP") === "None";
  return parts(service, "spec", "ports")
    .filter(isTcp)
    .flatMap((port): NamedPort[] => {
      const label = labelOf(text(port, "name"), text(port, "port"));
      const target = isHeadless ? "" : text(port, "targetPort");
      const own = parts(pod, "spec", "containers")
        .flatMap((container) => parts(container, "ports"))
        .find((one) => text(one, "name") === target);
      const number = Number(target === "" || target === "0" ? text(port, "port") : target);
      const found = Number.isInteger(number) ? number : Number(text(own, "containerPort"));
      return found > 0 ? [{ label, port: found }] : [];
    });
}

const labelOf = (name: string, port: string): string => (name === "" ? port : `${name}, ${port}`);

/** A pod that answers, the ready ones first; undefined: none runs. */
export function runningPod(pods: readonly Json[]): Json | undefined {
  const running = pods.filter((pod) => text(pod, "status", "phase") === "Running" && !isLeaving(pod));
  return running.find(isReady) ?? running[0];
}

const isLeaving = (pod: Json): boolean => text(part(pod, "metadata"), "deletionTimestamp") !== "";
const isReady = (pod: Json): boolean =>
  parts(pod, "status", "conditions").some((one) => text(one, "type") === "Ready" && text(one, "status") === "True");
