/** Ports of pods that the console forwards to ports of this machine, as `port-forward` does. */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Sender } from "../../client/requests/send.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { forwardConnection } from "../streams/forward-connection.ts";
import { isName, type PodName, podPath, problemOf, type StreamAccess } from "./streams.ts";

/** How many ports one console forwards at a time. */
export const forwardsMax = 32;

interface ForwardedPodPort extends PodName {
  /** Names it until the console ends. */
  readonly id: number;
  readonly port: number;
  /** On the loopback address. */
  readonly local: number;
  /** Why the last connection failed; "": it did not. */
  readonly problem: string;
}

interface OpenForward extends Omit<ForwardedPodPort, "problem"> {
  problem: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

export class ConsoleForwards {
  readonly #access: StreamAccess;
  readonly #send: Sender;
  readonly #open = new Map<number, OpenForward>();
  /** Those that the server is asked about: they count, and the same one is not opened twice. */
  readonly #opening = new Map<string, Promise<ForwardedPodPort>>();
  readonly #ended = new AbortController();
  #last = 0;

  constructor(access: StreamAccess, send: Sender) {
    this.#access = access;
    this.#send = send;
  }

  list(): ForwardedPodPort[] {
    return [...this.#open.values()].map(({ server: _server, sockets: _sockets, ...told }) => told);
  }

  /** Throws if the server would not forward, with the reason that a person needs. */
  async open(asked: unknown): Promise<ForwardedPodPort> {
    const { namespace, pod, port } = podPortOf(asked);
    const same = this.list().find((one) => one.namespace === namespace && one.pod === pod && one.port === port);
    if (same !== undefined) return same;
    const key = `${namespace}/${pod}:${port}`;
    const opening = this.#opening.get(key);
    if (opening !== undefined) return opening;
    if (this.#open.size + this.#opening.size >= forwardsMax)
      throw new Error(`the console forwards ${forwardsMax} ports; end one`);
    const made = this.#make({ namespace, pod, port });
    this.#opening.set(key, made);
    try {
      return await made;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #make({ namespace, pod, port }: PodName & { readonly port: number }): Promise<ForwardedPodPort> {
    const path = podPath({ namespace, pod }, "portforward");
    await this.#probe(path);
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      this.#forward(made, path, socket).then(
        () => {
          made.problem = "";
        },
        async (error: unknown) => {
          made.problem = await problemOf(error);
        },
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, resolve);
    });
    if (this.#ended.signal.aborted) {
      server.close();
      throw new Error("the console has ended");
    }
    const local = (server.address() as AddressInfo).port; // it listens on a port
    const made: OpenForward = { id: ++this.#last, namespace, pod, port, local, problem: "", server, sockets };
    this.#open.set(made.id, made);
    return { id: made.id, namespace, pod, port, local, problem: "" };
  }

  /** Whether there was one. */
  end(id: number): boolean {
    const found = this.#open.get(id);
    found?.server.close();
    for (const socket of found?.sockets ?? []) socket.destroy();
    return this.#open.delete(id);
  }

  close(): void {
    this.#ended.abort();
    for (const id of this.#open.keys()) this.end(id);
  }

  async #forward({ port }: OpenForward, path: string, socket: Socket): Promise<void> {
    const { upgrade, protocol } = this.#access;
    await forwardConnection(socket, { upgrade, path, port, protocol: await protocol(), signal: this.#ended.signal });
  }

  /** A server that would forward asks for an upgrade, with a 400. */
  async #probe(path: string): Promise<void> {
    await this.#send.open(path).catch((error: unknown) => {
      if (!(error instanceof StatusError && error.code === 400)) throw error;
    });
  }
}

function podPortOf(asked: unknown): PodName & { readonly port: number } {
  const { namespace, pod, port } = (asked ?? {}) as Readonly<Record<string, unknown>>; // each member is checked
  if (!isName(namespace) || !isName(pod)) throw new Error("the names of a namespace and a pod are needed");
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error("port must be a number from 1 to 65535");
  return { namespace, pod, port };
}
