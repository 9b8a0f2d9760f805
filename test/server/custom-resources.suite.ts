/** For tests of custom resources: a server with a definition of widgets, and requests to it. */

import { expect } from "vitest";
import { type CreateServerOptions, createServer, type OrchServer } from "../../src/main/library.ts";

export type Body = Record<string, unknown>;

export async function ask(server: OrchServer, method: string, path: string, body?: unknown, type = "application/json") {
  const response = await server.fetch(path, {
    method,
    headers: { "content-type": type, "user-agent": "tester/1" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith("{") ? JSON.parse(text) : { text }) as Body };
}

export const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
export const widgets = "/apis/example.com/v1/namespaces/default/widgets";
export const merge = "application/merge-patch+json";
export const spec = {
  type: "object",
  properties: { size: { type: "integer", default: 1 }, color: { type: "string" } },
};
const status = { type: "object", properties: { phase: { type: "string" } } };
export const schema = { type: "object", properties: { spec, status } };

export interface Defined {
  readonly name?: string;
  readonly names?: object;
  readonly scope?: string;
  readonly versions?: readonly object[];
}

/** A definition of widgets, or of something else. */
export const definition = ({ name = "widgets", names = {}, scope = "Namespaced", versions }: Defined = {}) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}.example.com` },
  spec: {
    group: "example.com",
    names: { plural: name, kind: "Widget", ...names },
    scope,
    versions: versions ?? [version("v1")],
  },
});
export const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema: schema },
  ...more,
});
export const widget = (name: string, more: object = {}, apiVersion = "example.com/v1") => ({
  apiVersion,
  kind: "Widget",
  metadata: { name },
  ...more,
});

export async function withServer(
  use: (server: OrchServer) => Promise<void>,
  defined: object = definition(),
  options: CreateServerOptions = {},
) {
  const server = await createServer(options);
  try {
    expect((await ask(server, "POST", definitions, defined)).status).toBe(201);
    await use(server);
  } finally {
    await server.close();
  }
}

/** Repeats a request until the answer is as expected: background work takes a moment. */
export async function eventually(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 5));
}
