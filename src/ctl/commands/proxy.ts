/** `proxy`: serves the API of the server on a local port, with the caller's credentials added. */

import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { Readable } from "node:stream";
import { anyDuration, bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";

const proxyFlags = {
  port: int("The port to listen on; 0: any", 8001, { short: "p" }),
  address: string("The address to listen on", "127.0.0.1"),
  "accept-hosts": string("Hosts that are accepted, as patterns", "^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$"),
  "accept-paths": string("Paths that are accepted, as patterns", "^.*"),
  "reject-paths": string("Paths that are refused, as patterns", "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach"),
  "reject-methods": string("Methods that are refused, as patterns", "^$"),
  "api-prefix": string("Path prefix under which the API is served", "/"),
  www: string("A folder to serve as well", "", { short: "w" }),
  "www-prefix": string("Path prefix of its files", "/static/", { short: "P" }),
  "disable-filter": bool("Accept every host and path"),
  keepalive: anyDuration("Ignored", 0, { isHidden: true }),
  "unix-socket": string("A socket to listen on instead", "", { short: "u" }),
};

type ProxyContext = Context<FlagValues<typeof proxyFlags>>;

export const proxy = command({
  name: "proxy",
  summary: "Run a proxy to the API server",
  usage: "[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
  examples: `ctl proxy --port=8011
ctl proxy --port=0 --accept-paths='^/api/v1/namespaces/shop/.*'
ctl proxy --unix-socket=/tmp/api.sock`,
  flags: proxyFlags,
  run,
});

const matches = (patterns: string, value: string): boolean =>
  patterns.split(",").some((pattern) => pattern !== "" && new RegExp(pattern).test(value));

async function run(context: ProxyContext): Promise<void> {
  const { flags } = context;
  const server = createServer((request, response) => {
    answer(context, request, response).catch((error: unknown) => {
      response.statusCode = 502;
      response.end(error instanceof Error ? error.message : String(error));
    });
  });
  const socket = flags["unix-socket"];
  if (socket !== "" && context.isSet("port"))
    throw new CtlError("cannot set --unix-socket and --port at the same time");
  await new Promise<void>((resolve, reject) => {
    server.on("error", (error) => reject(new CtlError(`listen: ${error.message}`, { cause: error })));
    if (socket === "") server.listen(flags.port, flags.address, resolve);
    else server.listen(socket, resolve);
  });
  const address = server.address();
  context.print(
    `Starting to serve on ${typeof address === "object" && address !== null ? `${address.address}:${address.port}` : String(address)}\n`,
  );
  if (!context.signal.aborted)
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function answer(context: ProxyContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { flags } = context;
  const target = (request.url ?? "/").replace(/^\/+/, "/"); // clients that join addresses send "//custom/api"
  const path = target.split("?")[0] ?? "/";
  const host = (request.headers.host ?? "").replace(/:\d+$/, "");
  const refuse = (status: number, message: string) => {
    response.statusCode = status;
    response.end(message);
  };
  const prefix = flags["api-prefix"].replace(/\/?$/, "/");
  const www = flags.www;
  if (www !== "" && path.startsWith(flags["www-prefix"]))
    return serveFile(context, www, path.slice(flags["www-prefix"].length), response);
  if (!`${path}/`.startsWith(prefix)) return refuse(404, "404 page not found\n");
  const rest = `/${target.slice(prefix.length).replace(/^\/+/, "")}`;
  if (!flags["disable-filter"]) {
    if (!matches(flags["accept-hosts"], host) || !matches(flags["accept-paths"], rest.split("?")[0] ?? ""))
      return refuse(403, "Forbidden");
    if (
      matches(flags["reject-paths"], rest.split("?")[0] ?? "") ||
      matches(flags["reject-methods"], request.method ?? "")
    )
      return refuse(403, "Forbidden");
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  const headers: Record<string, string> = {};
  for (const name of ["accept", "content-type", "if-none-match"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const given = await context.session.send.open(rest, {
    method: request.method ?? "GET",
    headers,
    accept: headers["accept"] ?? "application/json",
    ...(chunks.length === 0
      ? {}
      : { body: Buffer.concat(chunks).toString("utf8"), contentType: headers["content-type"] ?? "application/json" }),
    accepts: () => true, // whatever it is, it is for the client of the proxy
  });
  response.statusCode = given.status;
  for (const name of ["content-type", "location"]) {
    const value = given.headers.get(name);
    if (value !== null) response.setHeader(name, value);
  }
  if (given.body === null) response.end();
  else Readable.fromWeb(given.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".txt": "text/plain",
};

/** Only files inside the folder; a folder shows its entries. */
function serveFile(context: Context, folder: string, path: string, response: ServerResponse): void {
  const root = resolve(context.environment.cwd, folder);
  try {
    const file = normalize(join(root, decodeURIComponent(path)));
    // Links are resolved before the comparison, so that none leads outside.
    const inside = relative(realpathSync(root), realpathSync(file));
    if (inside.startsWith("..") || isAbsolute(inside)) throw new Error("outside of the folder");
    if (statSync(file).isDirectory()) {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        listing(readdirSync(file, { withFileTypes: true }).map((one) => one.name + (one.isDirectory() ? "/" : ""))),
      );
      return;
    }
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
    response.end(readFileSync(file));
  } catch {
    response.statusCode = 404;
    response.end("404 page not found\n");
  }
}

function listing(names: readonly string[]): string {
  const shown = (name: string) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const links = [...names].sort().map((name) => `<a href="${encodeURI(name)}">${shown(name)}</a>\n`);
  return `<pre>\n${links.join("")}</pre>\n`;
}
