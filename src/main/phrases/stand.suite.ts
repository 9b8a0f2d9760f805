/** One server in one vocabulary, and how the tables ask it. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { OrchServer } from "../library.ts";

type Json = Record<string, unknown>;

/** Each phrase with the request whose message must contain it. */
export type Phrases = readonly (readonly [phrase: string, message: () => Promise<string>])[];

interface Asked {
  readonly as?: { readonly name: string; readonly groups?: readonly string[] };
  readonly type?: string;
  readonly accept?: string;
}

export interface Stand {
  readonly names: Vocabulary;
  /** A group as the vocabulary says it. */
  group(name: string): string;
  /** The message of the answer, or all of it. */
  ask(method: string, path: string, body?: unknown, asked?: Asked): Promise<string>;
  /** Throws if the object is refused. */
  create(path: string, body: unknown): Promise<void>;
}

export function createStand(server: () => OrchServer, names: Vocabulary): Stand {
  const stand: Stand = {
    names,
    group: (name) => names.group(name),
    async ask(method, path, body, { as, type, accept } = {}) {
      const fetch = as === undefined ? server().fetch : server().fetchAs(as);
      const response = await fetch(path, {
        method,
        headers: { "content-type": type ?? "application/json", ...(accept === undefined ? {} : { accept }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      try {
        const { message } = JSON.parse(text) as { message?: string };
        return message ?? text;
      } catch {
        return text;
      }
    },
    async create(path, body) {
      const answer = await stand.ask("POST", path, body);
      if (!answer.startsWith('{"apiVersion"') && !answer.startsWith('{"kind"')) throw new Error(answer);
    },
  };
  return stand;
}

const namespaced = (resource: string) => `/api/v1/namespaces/default/${resource}`;
export const pods = namespaced("pods");
export const configMaps = namespaced("configmaps");
export const services = namespaced("services");
export const pod = (name: string, spec: Json = {}, metadata: Json = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "a", image: "i" }], ...spec },
});
export const merge = { type: "application/merge-patch+json" };
export const apply = { type: "application/apply-patch+yaml" };
export const jane = { name: "jane" };
export const node = (name: string) => ({ name: `system:node:${name}`, groups: ["system:nodes"] });
