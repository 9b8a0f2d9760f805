/** A server with simulated nodes and a virtual clock, for one test: send objects, let time pass, look. */

import type { Pod } from "../api/core/v1/pod.ts";
import { type CreateServerOptions, createServer, type OrchServer } from "../main/library.ts";

export interface Simulated extends AsyncDisposable {
  readonly server: OrchServer;
  /** The answer; throws if it is a refusal. */
  send<T = unknown>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<T>;
  pods(labelSelector?: string): Promise<readonly Pod[]>;
  pod(name: string): Promise<Pod>;
  createPod(
    name: string,
    more?: { spec?: object; annotations?: Record<string, string>; labels?: object },
  ): Promise<void>;
  advance(by: string): Promise<void>;
}

export const podsPath = "/api/v1/namespaces/default/pods";
export const container = { name: "main", image: "i" };

/** The nodes are ready when it resolves. */
export async function openSimulated(options: CreateServerOptions): Promise<Simulated> {
  const server = await createServer({ clock: "virtual", ...options });
  const send: Simulated["send"] = async <T>(method: string, path: string, body?: object) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const init = body === undefined ? {} : { headers: { "content-type": type }, body: JSON.stringify(body) };
    const answer = await server.fetch(path, { method, ...init });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()) as T; // what the test asked for
  };
  await server.clock.advance("2s");
  return {
    server,
    send,
    async pods(labelSelector = "") {
      const query = labelSelector === "" ? "" : `?labelSelector=${encodeURIComponent(labelSelector)}`;
      return (await send<{ items: Pod[] }>("GET", podsPath + query)).items;
    },
    pod: (name) => send("GET", `${podsPath}/${name}`),
    async createPod(name, { spec = {}, annotations = {}, labels = {} } = {}) {
      const named = Object.entries(annotations).map(([key, value]) => [`simulation.orch.io/${key}`, value]);
      const metadata = { name, labels, annotations: Object.fromEntries(named) };
      await send("POST", podsPath, { metadata, spec: { containers: [container], ...spec } });
    },
    advance: (by) => server.clock.advance(by),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** "Running*": its phase, and a star if it is ready. */
export function phaseText({ status }: Pod): string {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
  return `${status?.phase}${isReady ? "*" : ""}`;
}
