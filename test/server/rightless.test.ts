import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

let server: OrchServer;
/** Everything that discovery and "/" show, as requests. */
let requests: [method: string, path: string][] = [];

beforeAll(async () => {
  server = await createServer({ authorization: "RBAC", runtimeConfig: { "access.orch.io/v1alpha1": true } });
  requests = await crawl();
});
afterAll(() => server.close());

const methods: Readonly<Record<string, string>> = {
  get: "GET",
  list: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

async function json<T>(path: string): Promise<T> {
  return (await (await server.fetch(path)).json()) as T; // discovery, which other tests cover
}

async function crawl(): Promise<[string, string][]> {
  const { groups } = await json<{ groups: { versions: { groupVersion: string }[] }[] }>("/apis");
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  const found: [string, string][] = [];
  for (const base of ["/api/v1", ...versions]) {
    const { resources } = await json<{ resources: Resource[] }>(base);
    for (const { name, namespaced, verbs } of resources) {
      const [resource, subresource] = name.split("/");
      const collection = `${base}${namespaced ? "/namespaces/default" : ""}/${resource}`;
      for (const verb of verbs) {
        const method = methods[verb];
        if (method === undefined) continue;
        const isCollection = subresource === undefined && ["list", "create", "deletecollection"].includes(verb);
        const object = subresource === undefined ? `${collection}/x` : `${collection}/x/${subresource}`;
        found.push([method, isCollection ? collection : object]);
      }
    }
  }
  const { paths } = await json<{ paths: string[] }>("/");
  for (const path of paths) for (const method of ["GET", "POST", "DELETE"]) found.push([method, path]);
  return found;
}

/** Impersonation shows what a user may do; anonymous callers get their group in this way, too. */
async function answered(user: string): Promise<string[]> {
  const headers = { "impersonate-user": user };
  const allowed: string[] = [];
  for (const [method, path] of requests) {
    const answer = await server.fetch(path, { method, headers, ...(method === "GET" ? {} : { body: "{}" }) });
    await answer.text();
    if (answer.status !== 403 && answer.status !== 401) allowed.push(`${method} ${path}`);
  }
  return [...new Set(allowed)].sort();
}

describe("callers without rights", () => {
  test("anonymous callers may get only health and version (D02 in docs/security-rows.md)", async () => {
    expect(requests.length).toBeGreaterThan(500);
    const allowed = await answered("system:anonymous");
    const health = /^GET \/(healthz|livez|readyz)(\/.*)?$/;
    // Health checks by their names are listed at "/", but only the endpoints themselves are open.
    expect(allowed.filter((request) => !health.test(request))).toEqual(["GET /version"]);
    expect(allowed.filter((request) => health.test(request) && request.split("/").length > 2)).toEqual([]);
  });

  test("an authenticated caller without rights gets discovery and self reviews (D03 in docs/security-rows.md)", async () => {
    const allowed = await answered("nobody");
    const discovery = /^GET \/(api|apis|openapi|healthz|livez|readyz|version)(\/[^/]*){0,2}$/;
    expect(allowed.filter((request) => !discovery.test(request))).toEqual([
      "POST /apis/authorization.orch.io/v1/selfsubjectaccessreviews",
      "POST /apis/authorization.orch.io/v1/selfsubjectrulesreviews",
      "POST /apis/authorization.orch.io/v1beta1/selfsubjectaccessreviews",
      "POST /apis/authorization.orch.io/v1beta1/selfsubjectrulesreviews",
    ]);
  });
});
