import { describe, expect, test } from "vitest";
import { decodeKind } from "../../../machinery/schema/decode-kind.ts";
import { create } from "../../life.suite.ts";
import { beta, object, old, stable, v1, version } from "./definition.suite.ts";

describe("a v1beta1 definition", () => {
  test("may have any schema or none, and keeps unknown fields by default", () => {
    const loose = { openAPIV3Schema: { properties: { a: { type: "odd" } } } };
    expect(create(beta, old({ validation: loose })).problems).toEqual([]);
    expect(create(beta, old()).object["spec"]).toMatchObject({ scope: "Namespaced", preserveUnknownFields: true });
  });

  test("with shared settings for very many versions is refused where its v1 form would exceed the size limit", () => {
    const many = <T>(make: (at: number) => T) => Array.from({ length: 12_000 }, (_, at) => make(at));
    const versions = many((at) => ({ name: `v${at + 1}`, served: true, storage: at === 0 }));
    const additionalPrinterColumns = many((at) => ({ name: `c${at}`, type: "string", JSONPath: ".a" }));
    const hub = decodeKind(beta, old({ versions, additionalPrinterColumns }));
    expect(() => v1.fromHub(hub)).toThrow(expect.objectContaining({ code: 413 }));
  });

  test("whose schema need not be structural may have any pattern and any map type", () => {
    const schema = (properties: object) => old({ validation: { openAPIV3Schema: { properties } } });
    expect(create(beta, schema({ a: { pattern: "(" } })).problems).toEqual([]);
    expect(create(beta, schema({ a: { type: "object", "x-orch-map-type": "atomic" } })).problems).toEqual([]);
    expect(create(beta, schema({ a: { type: "array", "x-orch-list-type": "atomic" } })).problems).toEqual([
      "Required spec.validation.openAPIV3Schema.properties[a].items",
      "Required spec.validation.openAPIV3Schema.type",
    ]);
  });

  const cases = [
    {
      why: "must have a schema if it prunes",
      given: { preserveUnknownFields: false },
      problems: ["Required spec.versions[0].schema.openAPIV3Schema"],
    },
    {
      why: "must have a structural schema if it prunes",
      given: { preserveUnknownFields: false, validation: { openAPIV3Schema: { properties: {} } } },
      problems: ["Required spec.validation.openAPIV3Schema.type"],
    },
    {
      why: "must not have defaults",
      given: {
        validation: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: "x" } } } },
      },
      problems: ["Forbidden spec.validation.openAPIV3Schema.properties[a].default"],
    },
    {
      why: "must have the first version as its version",
      given: { version: "v2", versions: [version({ schema: undefined })] },
      problems: ["Invalid spec.version"],
    },
    {
      why: "must not set subresources both at the top and in a version",
      given: {
        subresources: { status: {} },
        versions: [
          version({ subresources: { status: {} }, schema: undefined }),
          { name: "v2", served: true, storage: false },
        ],
      },
      problems: ["Forbidden spec.subresources"],
    },
    {
      why: "must set subresources at the top if all versions have the same",
      given: { versions: [version({ subresources: { status: {} }, schema: undefined })] },
      problems: ["Invalid spec.versions"],
    },
    {
      why: "must prune unknown fields to be converted by a webhook",
      given: { conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://example.com/x" } } },
      problems: ["Invalid spec.conversion.strategy"],
    },
  ];
  for (const { why, given, problems } of cases)
    test(why, () => expect(create(beta, old(given)).problems).toEqual(problems));

  test("has at the top what all its v1 versions share", () => {
    const { hub } = create(v1, stable({ versions: [version(), version({ name: "v2", storage: false })] }));
    expect(hub["spec"]).toMatchObject({
      version: "v1",
      validation: object,
      versions: [
        { name: "v1", served: true, storage: true },
        { name: "v2", served: true, storage: false },
      ],
    });
    expect(v1.fromHub(hub)["spec"]).toMatchObject({ versions: [version(), version({ name: "v2", storage: false })] });
  });
});
