/** The agent of simulated nodes as the server reaches it: an HTTPS port with the paths of a node's agent. */

import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Clock } from "../../base/clock.ts";
import { createDuplexPair } from "../../base/duplex-pair.ts";
import type { Log } from "../../base/log.ts";
import { StreamBroken } from "../../client/streams/contract.ts";
import type { SimulatedCommands } from "../containers/simulated-commands.ts";
import type { MetricsGroup } from "../metrics/metrics-group.ts";
import { presentRun } from "./container-runs.ts";
import { acceptContainerStreams, type ContainerStreams } from "./container-streams.ts";
import { LogFollowers, TooManyFollowers } from "./log-followers.ts";
import { NoLog, parseLogRequest, readLog } from "./logs.ts";
import { acceptPortForward } from "./port-forward.ts";
import type { PortTargets } from "./port-targets.ts";
import { endingStatus, runProgram } from "./programs.ts";
import { refuse } from "./upgrade-answers.ts";

interface AgentServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** PEM. With `clientCa` only clients with a certificate of that authority are answered. */
  readonly tls: { readonly cert: string; readonly key: string; readonly clientCa?: string | undefined };
  readonly pods: AgentPods;
  /** What is answered below /apis; absent: nothing. */
  readonly metrics?: MetricsGroup | undefined;
  /** Where ports of pods may forward to. */
  readonly targets: PortTargets;
  readonly clock: Clock;
  readonly log: Log;
}

/** The pods of the nodes whose agent this is. */
export interface AgentPods {
  /** What runs in them. */
  readonly commands: Pick<SimulatedCommands, "forClient" | "logOf">;
  /** Undefined: it does not exist, or its node does not answer. */
  find(namespace: string, name: string): Pod | undefined;
}

export interface AgentServer {
  readonly port: number;
  /** A connection within the process, which needs no TLS: three of its handshakes take longer than all else that a log needs. */
  open(): Duplex;
  close(): Promise<void>;
}

export async function openAgentServer(given: AgentServerOptions): Promise<AgentServer> {
  const options = { ...given, followers: new LogFollowers(given.clock) };
  const { tls, host, port } = options;
  const client = tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    answer(options, request, response).catch((error: unknown) => {
      options.log.error("a request to a simulated node failed", { error });
      response.destroy();
    });
  };
  const server = createServer({ cert: tls.cert, key: tls.key, ...client }, onRequest);
  const inProcess = createPlainServer(onRequest);
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", keep);
  inProcess.on("connection", keep);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    upgrade(options, request, socket, head).catch((error: unknown) => {
      // A client that breaks the protocol, or goes away, is no trouble of this server.
      const level = error instanceof StreamBroken || socket.destroyed ? "debug" : "error";
      options.log[level]("a stream of a simulated pod failed", { error });
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port, // a server on a port has an address of this form
    open() {
      const [near, far] = createDuplexPair();
      inProcess.emit("connection", far);
      return near;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** "/exec/a/web/main?command=ls", in parts. */
function parse(request: IncomingMessage) {
  const url = new URL(request.url ?? "/", "https://agent");
  const [, operation = "", namespace = "", name = "", container = ""] = url.pathname.split("/").map(decode);
  return { operation, namespace, name, container, query: url.searchParams };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

async function answer(options: OpenOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pods, clock, followers } = options;
  const { operation, namespace, name, container, query } = parse(request);
  const send = (code: number, text: string) =>
    response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(text);
  if (operation === "healthz") return void send(200, "ok");
  if (operation === "apis" && options.metrics !== undefined) {
    const path = new URL(request.url ?? "/", "https://agent").pathname;
    const { code, body } = options.metrics.answer({ method: request.method ?? "", path, query });
    return void response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  }
  if (operation !== "containerLogs") return void send(404, "404 page not found\n");
  const pod = pods.find(namespace, name);
  if (pod === undefined) return void send(404, `pod "${name}" not found\n`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const asked = parseLogRequest(pod, container, query, clock.now());
    const podNow = () => pods.find(namespace, name);
    const tools = { clock, followers, commands: pods.commands, podNow, signal: gone.signal };
    for await (const text of readLog(asked, tools)) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/plain" }).flushHeaders();
      if (!response.write(text)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    }
    response.end();
  } catch (error) {
    if (gone.signal.aborted) return;
    if (error instanceof TooManyFollowers) return void send(429, error.message);
    if (!(error instanceof NoLog)) throw error;
    send(400, error.message);
  }
}

type OpenOptions = AgentServerOptions & { readonly followers: LogFollowers };

async function upgrade(options: OpenOptions, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const { pods, targets } = options;
  const { operation, namespace, name, container, query } = parse(request);
  const pod = pods.find(namespace, name);
  if (pod === undefined) return refuse(socket, 404, `pod "${name}" not found`);
  if (operation === "portForward") {
    const ports = query.getAll("port").map(Number);
    if (ports.some((port) => !Number.isInteger(port) || port < 1 || port > 65_535))
      return refuse(socket, 400, "a port must be a number from 1 to 65535");
    if (!acceptPortForward(request, socket, head, { of: { pod, targets }, ports }))
      refuse(socket, 403, "no protocol was agreed on");
    return;
  }
  if (operation !== "exec" && operation !== "attach") return refuse(socket, 404, "404 page not found");
  if (presentRun(pod, container)?.endedMs !== undefined || presentRun(pod, container) === undefined)
    return refuse(socket, 500, `container "${container}" of pod "${name}" is not running`);
  const isOn = (key: string) => query.get(key) === "1";
  const wanted = { stdin: isOn("input"), stdout: isOn("output"), stderr: isOn("error"), tty: isOn("tty") };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
    return refuse(socket, 400, "you must specify at least 1 of stdin, stdout, stderr");
  const streams = await acceptContainerStreams(request, socket, head, wanted);
  if (streams === undefined) return refuse(socket, 403, "no protocol was agreed on");
  if (operation === "attach") return await attach(options, pod, container, streams);
  const words = query.getAll("command");
  const execution = { pod, container, words, isTerminal: wanted.tty, streams, commands: pods.commands };
  await streams.finish(endingStatus(await runProgram(execution)));
}

/** The client sees what the container writes from now on, and its own input. */
async function attach(
  { pods, clock, followers }: OpenOptions,
  pod: Pod,
  container: string,
  streams: ContainerStreams,
): Promise<void> {
  const query = new URLSearchParams({ follow: "true", tailLines: "0" });
  const { namespace = "", name = "" } = pod.metadata;
  const asked = parseLogRequest(pod, container, query, clock.now());
  const echo = async () => {
    for await (const data of streams.stdin) await streams.stdout(data);
  };
  void echo().catch(() => {});
  try {
    const podNow = () => pods.find(namespace, name);
    const tools = { clock, followers, commands: pods.commands, podNow, signal: streams.gone };
    for await (const text of readLog(asked, tools)) if (text !== "") await streams.stdout(Buffer.from(text));
  } catch (error) {
    if (streams.gone.aborted) return;
    if (!(error instanceof TooManyFollowers)) throw error;
    await streams.stderr(Buffer.from(`${error.message}\n`));
    return await streams.finish(endingStatus(1));
  }
  await streams.finish(endingStatus(0));
}
