import { expect, test } from "vitest";
import { createServer } from "../../../main/library.ts";

test("an empty list of limits is stored as absent, but its manager owns it", async () => {
  await using server = await createServer({ controllers: false });
  const create = async (name: string, spec: object) => {
    const body = JSON.stringify({ metadata: { name }, spec });
    const headers = { "content-type": "application/json" };
    const path = "/api/v1/namespaces/default/limitranges";
    return (await (await server.fetch(path, { method: "POST", headers, body })).json()) as {
      readonly metadata: { readonly managedFields?: readonly { readonly fieldsV1: unknown }[] };
      readonly spec: unknown;
    };
  };
  const sent = await create("sent", { limits: [] });
  expect(sent.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ "f:spec": { "f:limits": {} } }]);
  expect(sent.spec).toEqual({ limits: null });
  const absent = await create("absent", {});
  expect(absent.metadata.managedFields).toBeUndefined();
});
