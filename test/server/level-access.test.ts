import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const post = async (server: Awaited<ReturnType<typeof createServer>>, path: string, body: object) => {
  const answer = await server.fetch(path, { method: "POST", body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, Record<string, unknown>> };
};
const authentication = "authentication.orch.io/v1";

test("at level 1.35 callers can ask who they are; level 1.21 does not know the question", async () => {
  const review = { apiVersion: authentication, kind: "SelfSubjectReview" };
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  const { status, body } = await post(late, `/apis/${authentication}/selfsubjectreviews`, review);
  expect(status).toBe(201);
  expect(body["status"]).toMatchObject({ userInfo: { groups: expect.arrayContaining(["system:masters"]) } });
  await using early = await createServer({ controllers: false });
  expect((await post(early, `/apis/${authentication}/selfsubjectreviews`, review)).status).toBe(404);
});

test("at level 1.35 plugins and answers have the namespace of the path, and cluster-wide objects have none", async () => {
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  const authorization = "authorization.orch.io/v1";
  const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } };
  const wide = await post(late, `/apis/${authorization}/subjectaccessreviews`, {
    ...{ apiVersion: authorization, kind: "SubjectAccessReview" },
    ...{ metadata: { namespace: "elsewhere" }, spec },
  });
  expect([wide.status, wide.body["metadata"]?.["namespace"]]).toEqual([201, undefined]);
  const other = await post(late, `/apis/${authorization}/namespaces/default/localsubjectaccessreviews`, {
    ...{ apiVersion: authorization, kind: "LocalSubjectAccessReview" },
    ...{ metadata: { namespace: "elsewhere" }, spec },
  });
  expect(other.status).toBe(400);
});
