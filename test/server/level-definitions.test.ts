import { expect, test } from "vitest";
import { newestLevel } from "../../src/machinery/schema/levels.ts";
import { createServer } from "../../src/main/library.ts";

type Server = Awaited<ReturnType<typeof createServer>>;
const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";

const definition = (spec: object, more: object = {}) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } } },
      },
    ],
    ...more,
  },
});

async function send(server: Server, method: string, path: string, body: unknown, type = "application/json") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await server.fetch(path, { method, body: text, headers: { "content-type": type } });
  return { status: answer.status, warning: answer.headers.get("warning"), json: (await answer.json()) as unknown };
}

test("a level without rules says that it drops them, and which flag keeps them; others keep them", async () => {
  await using early = await createServer({ controllers: false });
  await using late = await createServer({ emulatedVersion: "1.35", controllers: false });
  const ruled = definition({ n: { type: "integer", "x-orch-validations": [{ rule: "self > 0" }] } });
  const plain = definition({ n: { type: "integer", description: "x-orch-validations are not used here" } });
  const told = `299 - "x-orch-validations is dropped at level 1.21; start the server with --emulated-version=${newestLevel} to keep it"`;
  const dry = `${definitions}?dryRun=All`;
  expect(await send(early, "POST", dry, plain)).toMatchObject({ status: 201, warning: null });
  expect(await send(early, "POST", dry, ruled)).toMatchObject({ status: 201, warning: told });
  expect(await send(late, "POST", dry, ruled)).toMatchObject({ status: 201, warning: null });
  expect((await send(early, "POST", definitions, plain)).status).toBe(201);
  const schema = { openAPIV3Schema: { type: "object", "x-orch-validations": [{ rule: "true" }] } };
  const change = [{ op: "replace", path: "/spec/versions/0/schema", value: schema }];
  const path = `${definitions}/things.example.com`;
  expect(await send(early, "PATCH", path, change, "application/json-patch+json")).toMatchObject({
    status: 200,
    warning: told,
  });
  // An apply of a field that the schema does not have is refused, as v1.21 refuses it.
  const applied = await send(early, "PATCH", `${path}?fieldManager=m`, ruled, "application/apply-patch+yaml");
  expect(applied).toMatchObject({ status: 400, warning: told });
});

test("a format that no value is checked against is warned about where it is new", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const made = definition({ a: { type: "string", format: "colour" }, n: { type: "integer", format: "int32" } });
  expect((await send(server, "POST", definitions, made)).warning).toBe('299 - "unrecognized format \\"colour\\""');
  const path = `${definitions}/things.example.com`;
  const add = [
    {
      op: "add",
      path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b",
      value: { type: "string", format: "taste" },
    },
  ];
  const changed = await send(server, "PATCH", path, add, "application/json-patch+json");
  expect(changed.warning).toBe('299 - "unrecognized format \\"taste\\""');
});

test("items that are neither a schema nor a list of schemas count as absent, and a number's format is none of an integer", async () => {
  for (const emulatedVersion of ["1.21", "1.35"] as const) {
    await using server = await createServer({ emulatedVersion, controllers: false });
    const made = definition({ a: { type: "string", items: 5 }, n: { type: "integer", format: "double" } });
    const answer = await send(server, "POST", definitions, made);
    expect(answer.status).toBe(201);
    expect(answer.warning).toBe(emulatedVersion === "1.21" ? null : '299 - "unrecognized format \\"double\\""');
    const scalars = [true, "text", 0].map((items) => definition({ l: { type: "array", items } }));
    // A list needs items.
    for (const each of scalars) expect((await send(server, "POST", definitions, each)).status).toBe(422);
  }
});

test("rules inside a choice are refused", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const inner = { "x-orch-validations": [{ rule: "true" }] };
  for (const choice of [{ allOf: [inner] }, { anyOf: [inner] }, { oneOf: [inner] }, { not: inner }]) {
    const place = /\.(allOf\[0\]|anyOf\[0\]|oneOf\[0\]|not)\.x-orch-validations$/;
    const cause = { reason: "FieldValueForbidden", field: expect.stringMatching(place) };
    expect(await send(server, "POST", definitions, definition({ a: { type: "string", ...choice } }))).toMatchObject({
      status: 422,
      json: { details: { causes: [cause] } },
    });
  }
});

test("rules are compiled only where the schema is structural and its defaults fit; formats are those of the type", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const refused = async (made: ReturnType<typeof definition>) => {
    const response = await server.fetch(`${definitions}?dryRun=All`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(made),
    });
    const { details } = (await response.json()) as { details?: { causes: { field: string }[] } };
    return details?.causes.map(({ field }) => field.replace(/^.*openAPIV3Schema\./, ""));
  };
  const broken = { type: "integer", "x-orch-validations": [{ rule: "self >" }] };
  const at = "properties[spec].properties";
  expect(await refused(definition({ n: broken }))).toEqual([`${at}[n].x-orch-validations[0].rule`]);
  expect(await refused(definition({ n: broken, m: {} }))).toEqual([`${at}[m].type`]);
  expect(await refused(definition({ n: broken, m: { type: "integer", default: "x" } }))).toEqual([`${at}[m].default`]);
  const twice = definition({ n: { type: "integer" } });
  twice.spec.versions.push(...twice.spec.versions);
  expect(await refused(twice)).toEqual(["spec.versions", "spec.versions", "status.storedVersions"]);
  const types = ["integer", "number", "object", "boolean"];
  const odd = definition(Object.fromEntries(types.map((type) => [type, { type, format: `of-${type}` }])));
  const { warning } = await send(server, "POST", definitions, odd);
  expect(types.filter((type) => warning?.includes(`of-${type}`))).toEqual(types);
});

test("the bundle of a converter that works must not become one without certificates", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const conversion = (caBundle?: string) => ({
    strategy: "Webhook",
    webhook: { clientConfig: { url: "https://converter.example.com/", caBundle }, conversionReviewVersions: ["v1"] },
  });
  const path = `${definitions}/things.example.com`;
  expect((await send(server, "POST", definitions, definition({}, { conversion: conversion() }))).status).toBe(201);
  const isEstablished = async () => {
    const { status } = (await (await server.fetch(path)).json()) as {
      status: { conditions: { type: string }[] | null };
    };
    return status.conditions?.some(({ type }) => type === "Established") === true;
  };
  await expect.poll(isEstablished).toBe(true);
  const bad = Buffer.from("not a certificate").toString("base64");
  const refused = await send(
    server,
    "PATCH",
    path,
    { spec: { conversion: conversion(bad) } },
    "application/merge-patch+json",
  );
  expect(refused).toMatchObject({
    status: 422,
    json: { details: { causes: [{ field: "spec.conversion.webhookClientConfig.caBundle" }] } },
  });
});

test("a definition is not established, and not served, before the bundle of its converter has certificates", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const conversion = (text: string) => ({
    strategy: "Webhook",
    webhook: {
      clientConfig: { url: "https://converter.example.com/", caBundle: Buffer.from(text).toString("base64") },
      conversionReviewVersions: ["v1"],
    },
  });
  const path = `${definitions}/things.example.com`;
  const things = "/apis/example.com/v1/namespaces/default/things";
  const made = await send(server, "POST", definitions, definition({}, { conversion: conversion("none") }));
  expect(made.status).toBe(201);
  const established = async () => {
    const { status } = (await (await server.fetch(path)).json()) as {
      status: { conditions: { type: string; status: string; reason: string }[] | null };
    };
    const found = status.conditions?.find(({ type }) => type === "Established");
    return found && `${found.status} ${found.reason}`;
  };
  await expect.poll(established).toBe("False InvalidCABundle");
  expect((await server.fetch(things)).status).toBe(404);
  const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const change = (text: string) =>
    send(server, "PATCH", path, { spec: { conversion: conversion(text) } }, "application/merge-patch+json");
  expect((await change("still none")).status).toBe(200);
  expect((await change(certificate)).status).toBe(200);
  await expect.poll(established).toBe("True InitialNamesAccepted");
  await expect.poll(async () => (await server.fetch(things)).status).toBe(200);
});

test("an object that no longer has the types of its schema can be changed elsewhere, and loses its managers", async () => {
  await using server = await createServer({ emulatedVersion: "1.35", controllers: false });
  const things = "/apis/example.com/v1/namespaces/default/things";
  const thing = (n: unknown) => ({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: { n } });
  const made = definition({ n: { type: "integer" }, l: { type: "array", items: { type: "boolean" } } });
  expect((await send(server, "POST", definitions, made)).status).toBe(201);
  expect((await send(server, "POST", things, thing(1))).status).toBe(201);
  const label = (l: string) =>
    send(server, "PATCH", `${things}/a`, { metadata: { labels: { l } } }, "application/merge-patch+json");
  expect(await label("1")).toMatchObject({ json: { metadata: { managedFields: [{}] } } });
  const property = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n";
  const change = [{ op: "replace", path: property, value: { type: "string" } }];
  const path = `${definitions}/things.example.com`;
  expect((await send(server, "PATCH", path, change, "application/json-patch+json")).status).toBe(200);
  const labelled = await label("2");
  expect(labelled).toMatchObject({ status: 200, json: { metadata: { labels: { l: "2" } }, spec: { n: 1 } } });
  expect(labelled.json).not.toHaveProperty("metadata.managedFields");
});
