import { describe, expect, test } from "vitest";
import { document } from "./openapi.suite.ts";

describe("paths", () => {
  const at = (path: string) => document.paths[path];
  const collection = "/apis/tools.orch.io/v1/namespaces/{namespace}/things";

  test("are those of the verbs a kind has", () => {
    expect(Object.keys(document.paths)).toEqual([
      "/api/",
      "/api/v1/",
      "/api/v1/usages",
      "/apis/",
      "/apis/tools.orch.io/",
      "/apis/tools.orch.io/v1/",
      collection,
      `${collection}/{name}`,
      `${collection}/{name}/log`,
      `${collection}/{name}/proxy`,
      `${collection}/{name}/proxy/{path}`,
      `${collection}/{name}/status`,
      `${collection}/{name}/use`,
      "/apis/tools.orch.io/v1/things",
      "/apis/tools.orch.io/v1/watch/namespaces/{namespace}/things",
      "/apis/tools.orch.io/v1/watch/namespaces/{namespace}/things/{name}",
      "/apis/tools.orch.io/v1/watch/things",
      "/version/",
    ]);
    expect(Object.keys(at(collection) ?? {}).sort()).toEqual(["delete", "get", "parameters", "post"]);
    expect(Object.keys(at(`${collection}/{name}`) ?? {}).sort()).toEqual([
      "delete",
      "get",
      "parameters",
      "patch",
      "put",
    ]);
    expect(Object.keys(at("/api/v1/usages") ?? {}).sort()).toEqual(["parameters", "post"]);
  });
  test("show clients whether a patch supports dry run", () => {
    const patch = at(`${collection}/{name}`)?.patch;
    expect(patch).toMatchObject({
      operationId: "patchToolsV1NamespacedThing",
      tags: ["tools_v1"],
      "x-orch-action": "patch",
      "x-orch-group-version-kind": { group: "tools.orch.io", version: "v1", kind: "Thing" },
    });
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(["body", "dryRun", "fieldManager", "force"]);
  });
  test("of subresources name the kind they take", () => {
    expect(at(`${collection}/{name}/use`)?.post).toMatchObject({
      operationId: "createToolsV1NamespacedThingUse",
      "x-orch-group-version-kind": { group: "", version: "v1", kind: "Usage" },
    });
    expect(at(`${collection}/{name}/proxy`)?.get).toMatchObject({
      operationId: "connectToolsV1GetNamespacedThingProxy",
      "x-orch-action": "connect",
    });
  });
  test("have the parameters that all their operations take, in the order of names", () => {
    const shared = (path: string) => at(path)?.parameters?.map(({ name, in: where }) => `${name} ${where}`);
    expect(shared(collection)).toEqual(["namespace path", "pretty query"]);
    expect(shared("/api/v1/usages")).toEqual(["dryRun query", "fieldManager query", "pretty query"]);
    expect(at("/api/v1/usages")?.post?.parameters?.map(({ name }) => name)).toEqual(["body"]);
    expect(shared("/apis/tools.orch.io/v1/things")?.slice(0, 2)).toEqual([
      "allowWatchBookmarks query",
      "continue query",
    ]);
    expect(at("/apis/tools.orch.io/v1/things")?.get).not.toHaveProperty("parameters");
  });
  test("of connections and logs have the options of the query", () => {
    const types = (path: string) => at(path)?.parameters?.map(({ name, in: where, type }) => [name, where, type]);
    expect(types(`${collection}/{name}/proxy/{path}`)).toEqual([
      ["name", "path", "string"],
      ["namespace", "path", "string"],
      ["path", "path", "string"],
      ["path", "query", "string"],
    ]);
    expect(types(`${collection}/{name}/log`)).toEqual([
      ["follow", "query", "boolean"],
      ["name", "path", "string"],
      ["namespace", "path", "string"],
      ["pretty", "query", "string"],
      ["tailLines", "query", "integer"],
    ]);
    expect(at(`${collection}/{name}/log`)?.get?.produces[0]).toBe("text/plain");
  });
  test("of discovery are named after their group and version", () => {
    const operation = (path: string) => [at(path)?.get?.operationId, at(path)?.get?.tags];
    expect(["/api/v1/", "/apis/tools.orch.io/", "/apis/tools.orch.io/v1/"].map(operation)).toEqual([
      ["getCoreV1APIResources", ["core_v1"]],
      ["getToolsAPIGroup", ["tools"]],
      ["getToolsV1APIResources", ["tools_v1"]],
    ]);
  });
  test("that delete say whether the answer is the deleted object", () => {
    const answer = (path: string) => at(path)?.delete?.responses["200"]?.schema?.$ref?.split(".").at(-1);
    expect([answer(`${collection}/{name}`), answer(collection)]).toEqual(["Thing", "Status"]);
  });
  test("have unique operation ids", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => ("operationId" in operation ? [operation.operationId] : [])),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
