/** Node's HTTP, loaded with the first connection: a program that talks to a server of its own process needs none of it. */

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

let http: typeof import("node:http") | undefined;
let https: typeof import("node:https") | undefined;

/** For the protocol of a URL, "http:" or "https:". */
export function nodeHttp(protocol: string): typeof import("node:http") | typeof import("node:https") {
  if (protocol === "http:") {
    http ??= load("node:http") as typeof import("node:http"); // what a module of Node has
    return http;
  }
  return nodeHttps();
}

export function nodeHttps(): typeof import("node:https") {
  https ??= load("node:https") as typeof import("node:https"); // as above
  return https;
}
