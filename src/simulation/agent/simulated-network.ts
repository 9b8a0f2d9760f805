/** What is behind the addresses of simulated pods and nodes: the server never connects to them. */

import { Duplex, PassThrough } from "node:stream";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { AddressCheck, AddressVerdict } from "../../base/https-call.ts";
import { drained } from "../../client/streams/websocket.ts";
import { isMadeUp } from "../addresses.ts";
import { portAnswer } from "./answers.ts";
import { answerPort, type PortPod } from "./port-answers.ts";
import type { PortTargets } from "./port-targets.ts";

interface ServedPods {
  /** Those that run on simulated nodes and have this address: several, if it is that of their node. */
  at(address: string): readonly Pod[];
}

export class SimulatedNetwork {
  readonly #targets: PortTargets;
  #pods: ServedPods | undefined;

  constructor(targets: PortTargets) {
    this.#targets = targets;
  }

  /** The controller of the nodes has started. */
  serve(pods: ServedPods): void {
    this.#pods = pods;
  }

  /** For calls of webhooks and aggregated servers: nothing of a simulated pod speaks TLS, unless it forwards to something that does. */
  readonly called = (address: string, port: number): AddressVerdict | undefined => {
    const found = this.#find(address, port);
    if (found === undefined) return undefined;
    const { pod } = found;
    const declared = portAnswer(pod, port);
    if (declared.at === "forward") return this.#targets.find(declared.target);
    const { namespace = "", name = "" } = pod.metadata;
    const example = `127.0.0.1:${port}`;
    return {
      refuse:
        `${address} is the address of the simulated pod ${namespace}/${name}, and no program listens at its port ${port}; ` +
        `to run one on this machine, give the pod the annotation simulation.orch.io/ports: {"${port}": {"forward": "${example}"}} ` +
        `and the server --simulated-port-targets=${example}`,
    };
  };

  /** For requests to a pod or service: its port answers as it does to `port-forward`. */
  readonly proxied = (address: string, port: number): AddressVerdict | undefined => {
    const found = this.#find(address, port);
    if (found === undefined) return undefined;
    const declared = portAnswer(found.pod, port);
    if (declared.at === "forward") return this.#targets.find(declared.target);
    if (declared.at === "refuse") return { refuse: `dial tcp ${address}:${port}: connect: connection refused` };
    return { open: () => openPort(found, port) };
  };

  #find(address: string, port: number): PortPod | undefined {
    const pods = this.#pods?.at(address) ?? [];
    const listens = ({ spec }: Pod) =>
      spec?.containers.some(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === port)) === true;
    const pod = pods.find((one) => portAnswer(one, port).at !== "echo") ?? pods.find(listens) ?? pods[0];
    return pod && { pod, targets: this.#targets };
  }
}

/** Where a server connects to beside `allows`. `route`: what is behind made-up addresses; absent: nothing, in this process. */
export const withSimulated =
  (allows: AddressCheck, route?: SimulatedNetwork["called"]): AddressCheck =>
  (address, port) =>
    route?.(address, port) ?? (isMadeUp(address) ? unknown(address) : allows(address, port));

const unknown = (address: string): AddressVerdict => ({
  refuse: `${address} is an address that only simulated pods and nodes have, and none of this server answers there`,
});

/** The other end of the connection is the pod. */
function openPort(of: PortPod, port: number): Duplex {
  const [toPod, fromPod] = [new PassThrough(), new PassThrough()];
  const socket = Duplex.from({ readable: fromPod, writable: toPod });
  const fail = (error: Error) => void socket.destroy(error);
  void answerPort(of, {
    port,
    input: toPod,
    async send(data) {
      if (!fromPod.write(data)) await drained(fromPod);
    },
    async fail(message) {
      fail(new Error(message));
    },
    async end() {
      fromPod.end();
    },
  }).catch(fail);
  return socket;
}
