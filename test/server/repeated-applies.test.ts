import { expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

type Server = Awaited<ReturnType<typeof createServer>>;
interface Answer {
  readonly status: number;
  readonly body: {
    readonly metadata: { readonly resourceVersion: string; readonly managedFields: readonly { manager: string }[] };
    readonly data: Readonly<Record<string, string>>;
    readonly message?: string;
  };
}

const path = "/api/v1/namespaces/default/configmaps/settings";

async function send(server: Server, query: string, type: string, body: object): Promise<Answer> {
  const response = await server.fetch(`${path}?${query}`, {
    method: "PATCH",
    headers: { "content-type": `application/${type}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const apply = (server: Server, manager: string, data: Readonly<Record<string, string>>, more = "", metadata = {}) =>
  send(server, `fieldManager=${manager}${more}`, "apply-patch+yaml", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", ...metadata },
    data,
  });

test("the same apply again and again changes nothing, and still restores what others changed", async () => {
  await using server = await createServer({ controllers: false });
  const first = await apply(server, "one", { a: "1", b: "1" });
  expect(first.status).toBe(201);
  for (let time = 0; time < 3; time += 1)
    expect((await apply(server, "one", { a: "1", b: "1" })).body).toEqual(first.body);

  // A merge patch makes another version, at which the remembered apply is not valid.
  await send(server, "fieldManager=two", "merge-patch+json", { data: { b: "2" } });
  expect(await apply(server, "one", { a: "1", b: "1" })).toMatchObject({ status: 409 });
  const forced = await apply(server, "one", { a: "1", b: "1" }, "&force=true");
  expect(forced).toMatchObject({ status: 200, body: { data: { a: "1", b: "1" } } });
  expect(forced.body.metadata.managedFields.map(({ manager }) => manager)).toEqual(["one"]);
});

test("another configuration, manager or uid is not taken for an apply that changed nothing", async () => {
  await using server = await createServer({ controllers: false });
  await apply(server, "one", { a: "1", b: "1" });
  const { body } = await apply(server, "one", { a: "1", b: "1" });
  await apply(server, "one", { a: "1", b: "1" });

  expect(await apply(server, "one", { a: "1", b: "1" }, "", { uid: "another" })).toMatchObject({ status: 422 });
  const shared = await apply(server, "two", { a: "1" });
  expect(shared.body.metadata.managedFields).toHaveLength(2);
  expect(shared.body.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
  expect((await apply(server, "one", { a: "1" })).body.data).toEqual({ a: "1" });

  // An object that was deleted is created again.
  await server.fetch(path, { method: "DELETE" });
  expect((await apply(server, "one", { a: "1" })).status).toBe(201);
});

test("a repeated apply is checked by admission and may be a dry run", async () => {
  await using server = await createServer({ controllers: false });
  await apply(server, "one", { a: "1" });
  const { body } = await apply(server, "one", { a: "1" });
  expect(await apply(server, "one", { a: "1" }, "&dryRun=All")).toEqual({ status: 200, body });
});
