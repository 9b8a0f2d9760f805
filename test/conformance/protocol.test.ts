import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSubject, type Subject } from "./server.ts";

let subject: Subject;
beforeAll(async () => {
  subject = await openSubject();
});
afterAll(() => subject?.close());

describe("discovery", () => {
  test("leads from the groups to the resources", async () => {
    const { body: groups } = await subject.request("/apis");
    expect(groups.kind).toBe("APIGroupList");
    const batch = groups.groups.find((group: { name: string }) => group.name === "batch");
    const { body: list } = await subject.request(`/apis/${batch.preferredVersion.groupVersion}`);
    const cronJobs = list.resources.find((resource: { name: string }) => resource.name === "cronjobs");
    expect(cronJobs).toMatchObject({ kind: "CronJob", namespaced: true, shortNames: ["cj"] });
    expect([...cronJobs.verbs].sort()).toEqual([
      "create",
      "delete",
      "deletecollection",
      "get",
      "list",
      "patch",
      "update",
      "watch",
    ]);
  });

  test("has an OpenAPI document with the kinds in it", async () => {
    // Its type is that of a plain text, as in v1.21.
    const { status, text } = await subject.request("/openapi/v2");
    const document = JSON.parse(text);
    expect([status, document.swagger]).toEqual([200, "2.0"]);
    expect(Object.keys(document.paths)).toContain("/api/v1/namespaces/{namespace}/configmaps/{name}");
  });

  test("names the release whose behaviour it has", async () => {
    expect((await subject.request("/version")).body).toMatchObject({ major: "1", minor: "21" });
  });
});

describe("health", () => {
  for (const path of ["/healthz", "/livez", "/readyz", "/livez/ping"]) {
    test(`${path} is ok`, async () => {
      const { status, text } = await subject.request(path);
      expect([status, text]).toEqual([200, "ok"]);
    });
  }
  test("verbose output shows every check", async () => {
    const { text } = await subject.request("/readyz?verbose");
    expect(text).toContain("[+]ping ok\n");
    expect(text.trimEnd().split("\n").at(-1)).toBe("healthz check passed");
  });
});

describe("a bad request", () => {
  const status = expect.objectContaining({ kind: "Status", apiVersion: "v1", status: "Failure" });
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const rows = [
    { why: "an unknown path", path: "/api/v1/nothings", code: 404, reason: "NotFound" },
    { why: "a missing object", path: `${configMaps}/none`, code: 404, reason: "NotFound" },
    { why: "invalid JSON", path: configMaps, method: "POST", text: "{", code: 400, reason: "BadRequest" },
    {
      why: "another kind in the body",
      path: configMaps,
      method: "POST",
      body: { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } },
      code: 400,
      reason: "BadRequest",
    },
    {
      why: "an invalid name",
      path: configMaps,
      method: "POST",
      body: { metadata: { name: "Not_A_Name" } },
      code: 422,
      reason: "Invalid",
    },
    { why: "an invalid resourceVersion", path: `${configMaps}?resourceVersion=abc`, code: 400, reason: "BadRequest" },
    { why: "a forged continue token", path: `${configMaps}?continue=abc`, code: 400, reason: "BadRequest" },
    {
      why: "an invalid selector",
      path: `${configMaps}?labelSelector=a%3D%3D%3Db`,
      code: 400,
      reason: "BadRequest",
    },
    { why: "an unsupported method", path: "/api/v1/namespaces/default/pods/p/log", method: "PUT", code: 405 },
    {
      why: "an unsupported media type",
      path: configMaps,
      method: "POST",
      text: "a",
      headers: { "content-type": "text/csv" },
      code: 406, // as the specification says; under the vocabulary of existing clients 415
      reason: "NotAcceptable",
    },
    {
      why: "an unsupported representation",
      path: configMaps,
      headers: { accept: "image/png" },
      code: 406,
      reason: "NotAcceptable",
    },
    {
      why: "a missing namespace",
      path: "/api/v1/namespaces/no-such-namespace/configmaps",
      method: "POST",
      body: { metadata: { name: "a" } },
      code: 404,
      reason: "NotFound",
    },
    {
      why: "an unknown token",
      path: configMaps,
      headers: { authorization: "Bearer x" },
      code: 401,
      reason: "Unauthorized",
    },
  ];
  for (const { why, path, code, reason, ...options } of rows) {
    test(`${why} is ${code}`, async () => {
      const answer = await subject.request(path, options);
      expect(answer.status).toBe(code);
      if (reason === undefined) return;
      expect(answer.body).toEqual(status);
      expect([answer.body.code, answer.body.reason]).toEqual([code, reason]);
    });
  }
});

describe("an answer", () => {
  test("is YAML on request", async () => {
    const { headers, text } = await subject.request("/api/v1/namespaces/default", {
      headers: { accept: "application/yaml" },
    });
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toMatch(/^apiVersion: v1\nkind: Namespace\n/);
  });

  test("is only the metadata on request", async () => {
    const { body } = await subject.request("/api/v1/namespaces/default", {
      headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io" },
    });
    expect(Object.keys(body).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(body.kind).toBe("PartialObjectMetadata");
  });

  test("warns about a version that will be removed", async () => {
    const { headers } = await subject.request("/apis/batch/v1beta1/namespaces/default/cronjobs");
    expect(headers["warning"]).toMatch(/^299 - "batch\/v1beta1 CronJob is deprecated/);
  });
});
