/** Node's HTTP, loaded with the first connection: a program that talks to a server of its own process needs none of it. */

import { createRequire } from "node:module";
import { onFirstUse } from "../../base/first-use.ts";

const load = createRequire(import.meta.url);

const http = onFirstUse(() => load("node:http") as typeof import("node:http")); // what a module of Node has

/** For the protocol of a URL, "http:" or "https:". */
export function nodeHttp(protocol: string): typeof import("node:http") | typeof import("node:https") {
  return protocol === "http:" ? http() : nodeHttps();
}

export const nodeHttps = onFirstUse(() => load("node:https") as typeof import("node:https")); // as above
