/** `port-forward`: forwards connections to local ports to a pod. */

import { type AddressInfo, createServer, isIP, type Server, type Socket } from "node:net";
import { type FlagValues, strings } from "../../base/flags/flag.ts";
import { isForbidden } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { podTimeoutFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, nameOf, namespaceOf, text } from "../json.ts";
import { pause } from "../pause.ts";
import { explained, streamPath } from "../streams/connect.ts";
import { forwardConnection } from "../streams/forward-connection.ts";
import { findPods, isCompleted } from "../streams/pods.ts";
import { type ForwardedPort, forwardedPorts, hostPort } from "../streams/ports.ts";

const portForwardFlags = {
  address: strings("Addresses to listen on: localhost, or IP addresses", ["localhost"]),
  ...podTimeoutFlag(60_000),
};

type PortForwardContext = Context<FlagValues<typeof portForwardFlags>>;

export const portForward = command({
  name: "port-forward",
  summary: "Forward one or more local ports to a pod",
  usage: "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
  examples: `ctl port-forward pod/mypod 5000 6000
ctl port-forward deployment/mydeployment 8888:5000
ctl port-forward service/myservice 8443:https
ctl port-forward --address localhost,10.19.21.23 pod/mypod :5000`,
  flags: portForwardFlags,
  run,
});

/** The delay before a watch that the server ended is restarted. */
const againMs = 1_000;

interface Forwarding {
  readonly context: Context;
  /** A path of the pod's subresource. */
  readonly path: string;
  readonly protocol: string;
  readonly signal: AbortSignal;
}

async function run(context: PortForwardContext): Promise<void> {
  const [word = "", ...words] = context.args;
  if (words.length === 0) throw new UsageError("TYPE/NAME and list of ports are required for port-forward");
  const found = await findPods(context, { word, purpose: "attach to" });
  const [pod] = found.pods;
  if (pod === undefined) return;
  const ports = forwardedPorts(words, found.kind, found.object, pod);
  const addresses = addressesOf(context.flags.address);
  const phase = text(pod, "status", "phase");
  const requireRunning = () => {
    if (phase !== "Running")
      throw new CtlError(`unable to forward port because pod is not running. Current status=${phase}`);
  };
  if (context.behaviour.checksPodFirst) requireRunning(); // before the first request, as in kubectl
  const path = await streamPath(context, pod, "portforward", []);
  await probe(context, path);
  requireRunning();
  const gone = new AbortController();
  const signal = AbortSignal.any([context.signal, gone.signal]);
  const protocol = (await context.vocabulary()).word("channel.orch.io");
  const forwarding: Forwarding = { context, path, protocol, signal };
  const listening: Listening[] = [];
  try {
    for (const port of ports) listening.push(...(await listen(forwarding, port, addresses)));
    await followPod(context, pod, signal);
  } finally {
    gone.abort();
    for (const { server, sockets } of listening) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  }
  if (!context.signal.aborted) throw new CtlError("lost connection to pod");
}

/**
 * Checks without an upgrade whether the server would forward at all: a server that would answers 400, because it requires an upgrade.
 */
async function probe(context: Context, path: string): Promise<void> {
  try {
    await context.session.send.open(path);
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return;
    throw await explained(context, "port-forward", error);
  }
}

interface Address {
  readonly address: string;
  /** localhost has two addresses: it is enough if one of them can be listened on. */
  readonly isLocalhost: boolean;
}

function addressesOf(words: readonly string[]): Address[] {
  const found = words.flatMap((word): Address[] => {
    if (word === "localhost") return ["127.0.0.1", "::1"].map((address) => ({ address, isLocalhost: true }));
    if (isIP(word) === 0) throw new CtlError(`${word} is not a valid IP`);
    return [{ address: word, isLocalhost: false }];
  });
  return found.filter(({ address }, at) => found.findIndex((other) => other.address === address) === at);
}

interface Listening {
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

/** Listens on one port of all addresses; a free one is chosen for the first. */
async function listen(
  forwarding: Forwarding,
  port: ForwardedPort,
  addresses: readonly Address[],
): Promise<Listening[]> {
  const { context } = forwarding;
  const open: Listening[] = [];
  const problems: string[] = [];
  let { local } = port;
  for (const { address, isLocalhost } of addresses) {
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      context.print(`Handling connection for ${local}\n`);
      const { path, protocol, signal } = forwarding;
      const { upgrade } = context.session.connection;
      forwardConnection(socket, { upgrade, path, port: port.remote, protocol, signal }).catch((error: unknown) => {
        if (signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        context.say(`an error occurred forwarding ${local} -> ${port.remote}: ${problem}`);
      });
    });
    try {
      await listenOn(server, address, local);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      problems.push(problem);
      if (!isLocalhost) context.say(`Unable to listen on port ${local}: ${problem}`);
      continue;
    }
    local = (server.address() as AddressInfo).port;
    open.push({ server, sockets });
    context.print(`Forwarding from ${hostPort(address, local)} -> ${port.remote}\n`);
  }
  if (open.length > 0) return open;
  throw new CtlError(
    `unable to listen on any of the requested ports: [${local} ${port.remote}]: ${problems.join(", ")}`,
  );
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Resolves when the pod is gone, or the signal aborts. A caller who may not watch pods forwards until then. */
async function followPod(context: Context, pod: Json, signal: AbortSignal): Promise<void> {
  const resource = await findResource(context, "pods");
  const namespace = namespaceOf(pod);
  const fieldSelector = `metadata.name=${nameOf(pod)}`;
  for (let version = text(pod, "metadata", "resourceVersion"); !signal.aborted; ) {
    try {
      const query = { namespace, fieldSelector, resourceVersion: version, signal };
      for await (const { type, object: seen } of context.session.watch(resource, query)) {
        if (type === "DELETED" || isCompleted(seen)) return;
        version = text(seen, "metadata", "resourceVersion");
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isForbidden(error)) return untilAborted(signal);
      // A watch that the server ends with an error starts again below.
      if (!(error instanceof StatusError)) throw error;
    }
    if (signal.aborted) return;
    await pause(context, againMs).catch(() => {});
    const now = await context
      .at(resource)
      .get({ namespace, name: nameOf(pod) })
      .catch((error: unknown) => {
        if (error instanceof StatusError && error.code === 404) return undefined;
        throw error;
      });
    if (now === undefined || isCompleted(now) || text(now, "metadata", "uid") !== text(pod, "metadata", "uid")) return;
    version = text(now, "metadata", "resourceVersion");
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
