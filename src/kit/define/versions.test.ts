/** A defined resource with several versions, converted by the webhook that its declaration makes. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createServer } from "../../main/library.ts";
import { issueAuthority, issueServing } from "../../main/pki/issue.ts";
import {
  connect,
  convertOf,
  defineResource,
  field,
  installResources,
  isInvalid,
  type Static,
  serveWebhook,
} from "../orch-client.ts";

const names = { group: "example.com", kind: "Clock", resource: "clocks" };

/** v1 has one text, "3h"; v2 has two members, and one that v1 keeps in an annotation. */
const Clock = defineResource({
  ...names,
  version: "v2",
  storage: "v1",
  fields: {
    spec: field.object({ hours: field.int32().atLeast(0), face: field.optional(field.oneOf(["round", "square"])) }),
    status: field.optional(field.object({ shown: field.optional(field.string()) })),
  },
  columns: [{ name: "Hours", type: "integer", path: ".spec.hours" }],
  versions: {
    v1: {
      deprecated: "example.com/v1 Clock is deprecated; use example.com/v2",
      fields: {
        spec: field.object({ time: field.string() }),
        status: field.optional(field.object({ shown: field.optional(field.string()) })),
      },
      columns: [{ name: "Time", type: "string", path: ".spec.time" }],
      toHub({ metadata, spec, status }) {
        const { face: kept, ...annotations } = metadata.annotations ?? {};
        const face = (["round", "square"] as const).find((one) => one === kept);
        return {
          metadata: { ...metadata, annotations },
          spec: {
            hours: Number.parseInt(spec.time, 10),
            ...(face === undefined ? {} : { face }),
          },
          ...(status === undefined ? {} : { status }),
        };
      },
      fromHub({ metadata, spec, status }) {
        const face: Record<string, string> = spec.face === undefined ? {} : { face: spec.face };
        return {
          metadata: { ...metadata, annotations: { ...metadata.annotations, ...face } },
          spec: { time: `${spec.hours}h` },
          ...(status === undefined ? {} : { status }),
        };
      },
    },
  },
});
type Clock = Static<typeof Clock>;
type ClockV1 = Static<typeof Clock.versions.v1>;

const folder = mkdtempSync(join(tmpdir(), "orch-versions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`${vocabulary}: each version reads what another wrote, through the webhook of the declaration`, async () => {
    const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
    const authority = issueAuthority("authority", systemClock);
    const pair = issueServing(authority, { commonName: "clocks", hosts: ["127.0.0.1"] }, systemClock);
    writeFileSync(certFile, pair.certificate);
    writeFileSync(keyFile, pair.key);
    const served = await serveWebhook({ certFile, keyFile, host: "127.0.0.1", convert: convertOf([Clock]) });
    await using server = await createServer({ vocabulary, controllers: false });
    const client = await connect({ server });
    const url = `https://127.0.0.1:${served.port}/convert`;
    await installResources(client, [Clock], { conversion: { url, authority: authority.certificate } });

    const metadata = { name: "wall", labels: { app: "clock" } };
    const made: Clock = await client.of(Clock).create({ metadata, spec: { hours: 3, face: "round" } });
    expect(made.spec).toEqual({ hours: 3, face: "round" });
    const old: ClockV1 = await client.of(Clock.versions.v1).get("wall");
    expect([old.spec, old.metadata.annotations, old.metadata.labels]).toEqual([
      { time: "3h" },
      { face: "round" },
      { app: "clock" },
    ]);
    await client.of(Clock.versions.v1).update({ ...old, spec: { time: "4h" } });
    const read = await client.of(Clock).get("wall");
    expect([read.spec, read.metadata.uid]).toEqual([{ hours: 4, face: "round" }, made.metadata.uid]);
    await client.of(Clock).status.update({ ...read, status: { shown: "04:00" } });
    expect((await client.of(Clock.versions.v1).list().all()).items.map(({ status }) => status?.shown)).toEqual([
      "04:00",
    ]);
    // @ts-expect-error the older version has no such field
    void old.spec.hours;
    await served.close();
  });

test("the definition has every version, and says which is stored and which is deprecated", () => {
  const service = { namespace: "ops", name: "clocks" };
  const { spec } = Clock.definition("kubernetes", { conversion: { service, authority: "PEM" } });
  expect(spec.versions.map(({ name, served, storage, deprecated }) => [name, served, storage, deprecated])).toEqual([
    ["v2", true, false, undefined],
    ["v1", true, true, true],
  ]);
  expect(spec.versions[1]?.additionalPrinterColumns?.map(({ name }) => name)).toEqual(["Time", "Age"]);
  expect(spec.conversion?.webhook).toEqual({
    conversionReviewVersions: ["v1"],
    clientConfig: { service: { ...service, path: "/convert" }, caBundle: "UEVN" },
  });
});

test("an object keeps its identity, whatever a conversion returns", () => {
  const metadata = { name: "a", uid: "u", resourceVersion: "7", labels: { a: "b" } };
  const converted = Clock.convert(
    { apiVersion: "example.com/v1", kind: "Clock", metadata, spec: { time: "1h" } },
    "example.com/v2",
  );
  expect(converted).toEqual({
    apiVersion: "example.com/v2",
    kind: "Clock",
    metadata: { ...metadata, annotations: {} },
    spec: { hours: 1 },
  });
  const convert = convertOf([Clock]);
  const other = { apiVersion: "example.org/v1", kind: "Clock", metadata };
  expect(() => convert(other, "example.com/v2")).toThrow("example.org/v1 Clock is not a resource of this webhook");
  expect(() => Clock.convert({ ...converted }, "example.com/v3")).toThrow("Clock has no version example.com/v3");
  expect(() => Clock.convert({ ...converted, kind: "Watch" }, "example.com/v1")).toThrow("a Watch is not a Clock");
});

test("a declaration that cannot work is refused when it is made", () => {
  const fields = { spec: field.object({ size: field.int32() }) };
  const version = "v1";
  expect(() => Clock.definition("orch")).toThrow('the versions of Clock differ: "conversion" must say where');
  expect(() => defineResource({ ...names, version, fields, storage: "v3" })).toThrow(
    "Clock has no version v3 to be stored",
  );
  expect(() => defineResource({ ...names, version, fields, versions: { v1: { fields } } })).toThrow(
    "v1 of Clock is declared twice",
  );
  const half = { v2: { fields, toHub: ({ spec }: { spec: { size: number } }) => ({ spec }) } };
  expect(() => defineResource({ ...names, version, fields, versions: half })).toThrow(
    "must have both toHub and fromHub",
  );
  const rules = [{ at: "spec.weight", expression: "self > 0" }];
  expect(() => defineResource({ ...names, version, fields, rules })).toThrow(
    "spec.weight: the declaration has no such field",
  );
});

test("versions with the same members need no webhook", async () => {
  const fields = { spec: field.object({ size: field.int32() }) };
  const Plain = defineResource({ ...names, version: "v2", fields, versions: { v1: { fields } } });
  await using server = await createServer({ controllers: false });
  const client = await connect({ server });
  await installResources(client, [Plain]);
  await client.of(Plain.versions.v1).create({ metadata: { name: "one" }, spec: { size: 1 } });
  expect(await client.of(Plain).get("one")).toMatchObject({ apiVersion: "example.com/v2", spec: { size: 1 } });
});

const Ruled = defineResource({
  ...names,
  version: "v1",
  fields: { spec: field.object({ least: field.int32(), most: field.int32(), code: field.optional(field.string()) }) },
  rules: [{ at: "spec", expression: "self.least <= self.most", message: "least must not be above most" }],
  keywords: { "spec.code": { pattern: "^[A-Z]+$" } },
});

test("rules and keywords are checked by the server, and one that does not know rules is not given the resource", async () => {
  await using late = await createServer({ controllers: false, emulatedVersion: "1.35" });
  const client = await connect({ server: late });
  await installResources(client, [Ruled]);
  const create = (spec: { least: number; most: number; code?: string }) =>
    client
      .of(Ruled)
      .create({ metadata: { name: "one" }, spec })
      .catch((error: unknown) => (isInvalid(error) ? error.message : String(error)));
  expect(await create({ least: 2, most: 1 })).toContain("least must not be above most");
  expect(await create({ least: 1, most: 2, code: "a" })).toContain("spec.code");
  expect(await create({ least: 1, most: 2, code: "A" })).toMatchObject({ spec: { code: "A" } });

  await using early = await createServer({ controllers: false, emulatedVersion: "1.21" });
  const refused = installResources(await connect({ server: early }), [Ruled]);
  await expect(refused).rejects.toThrow("x-orch-validations: field not declared in schema");
});
