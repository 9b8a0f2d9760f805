/**
 * What `open-fetch.ts` is in a browser, where the build puts this file in its place: requests are those of the page, and there are neither files nor
 * connections of its own.
 */

import type { Fetch } from "../client/contract.ts";
import type { ConnectOptions } from "./connect.ts";
import { inProcessFetch } from "./in-process-fetch.ts";
import type { Opened, Surroundings } from "./open-fetch.ts";

export const ownSurroundings = (): Surroundings => ({ env: {}, home: "", isInteractive: false });

export function openFetch(options: ConnectOptions): Opened {
  const { server, namespace } = options;
  if (server === undefined)
    throw new TypeError('a browser has no configuration files: connect({ server: "https://…", token })');
  const send = typeof server === "object" ? server.fetch : ofPage(server);
  return {
    fetch: inProcessFetch({ fetch: send }, options, "a server that is reached from a browser"),
    upgrade: async () => {
      throw new TypeError("streams need a connection that pages of a browser cannot open");
    },
    namespace: namespace || "default",
    close() {},
  };
}

/** A browser says itself what it is, and a header of that name would be asked about before each request to another origin. */
function ofPage(server: string): Fetch {
  const base = server.replace(/\/+$/, "");
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.delete("user-agent");
    return globalThis.fetch(base + path, { ...init, headers });
  };
}
