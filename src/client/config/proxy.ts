/** Connections through the proxy that a configuration names (`proxy-url`): a tunnel that the method CONNECT opens. */

import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent, RequestOptions } from "node:https";
import { Duplex, PassThrough } from "node:stream";
import { ConfigError } from "./file.ts";
import { nodeHttp } from "./node-http.ts";
import { shown } from "./shown.ts";

/** Undefined: none is named. Programs in Go know socks5, too. */
export function checkProxy(text: string): URL | undefined {
  if (text === "") return undefined;
  if (!URL.canParse(text)) throw new ConfigError(`proxy-url "${shown(text)}" must be a URL such as http://proxy:3128`);
  const url = new URL(text);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new ConfigError(`proxy-url has the scheme "${url.protocol}", which is not supported: use http: or https:`);
}

/** All connections of the agent go through the proxy. */
export function throughProxy<A extends HttpAgent | HttpsAgent>(agent: A, proxy: URL, isTls: boolean): A {
  const connect = (agent as HttpsAgent).createConnection.bind(agent);
  return Object.assign(agent, {
    createConnection(options: RequestOptions, callback?: Parameters<HttpsAgent["createConnection"]>[1]) {
      const socket = openTunnel(proxy, `${options.host}:${options.port}`);
      // TLS is spoken with the server, inside of the tunnel.
      return isTls ? connect({ ...options, socket } as RequestOptions, callback) : socket;
    },
  });
}

/** What is written waits until the proxy has opened the tunnel. */
function openTunnel(proxy: URL, target: string): Duplex {
  const sent = new PassThrough();
  const received = new PassThrough();
  const tunnel = Duplex.from({ writable: sent, readable: received });
  const { username, password } = proxy;
  const credential = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const call = nodeHttp(proxy.protocol).request({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
    method: "CONNECT",
    path: target,
    agent: false,
    headers: {
      host: target,
      ...(username === "" ? {} : { "proxy-authorization": `Basic ${Buffer.from(credential).toString("base64")}` }),
    },
  });
  const refused = (status = 0) =>
    new Error(
      `the proxy ${proxy.protocol}//${proxy.host} answered ${status} when it was asked to connect to ${target}`,
    );
  call.on("error", (error) => tunnel.destroy(error));
  call.on("response", (answer) => tunnel.destroy(refused(answer.statusCode)));
  call.on("connect", (answer, socket, head) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      tunnel.destroy(refused(answer.statusCode));
      return;
    }
    if (head.length > 0) socket.unshift(head);
    socket.on("error", (error) => tunnel.destroy(error));
    tunnel.on("close", () => socket.destroy());
    sent.pipe(socket);
    socket.pipe(received);
  });
  call.end();
  return tunnel;
}
