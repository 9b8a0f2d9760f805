import { describe, expect, test } from "vitest";
import { decodeProtobuf, encodeProtobuf } from "../../machinery/codec/protobuf.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { CustomResourceDefinition } from "./v1/custom-resource-definition.ts";
import { CustomResourceDefinition as Beta } from "./v1beta1/custom-resource-definition.ts";
import { deprecationWarningCharsMax } from "./v1beta1/validate-definition.ts";

const definitions = bindVersions([CustomResourceDefinition, Beta]);
const [v1, beta] = [definitions.version("v1"), definitions.version("v1beta1")];
const { environment } = v1.family;

const metadata = { name: "things.example.com" };
const names = { plural: "things", kind: "Thing" };
const object = { openAPIV3Schema: { type: "object" } };
const version = (given: object = {}) => ({ name: "v1", served: true, storage: true, schema: object, ...given });
const stable = (given: object = {}) => ({
  metadata,
  spec: { group: "example.com", scope: "Namespaced", names, versions: [version()], ...given },
});
const old = (given: object = {}) => ({ metadata, spec: { group: "example.com", version: "v1", names, ...given } });

const problemsOf = (given: object) => create(v1, stable(given)).problems;

describe("a definition", () => {
  const cases = [
    { why: "may be small", given: {}, problems: [] },
    {
      why: "is called by what it defines",
      given: { names: { plural: "others", kind: "Thing" } },
      problems: ["Invalid metadata.name"],
    },
    {
      why: "has a group with a dot",
      given: { group: "example" },
      problems: ["Invalid metadata.name", "Invalid spec.group"],
    },
    { why: "has a scope", given: { scope: "" }, problems: ["Required spec.scope"] },
    { why: "has one of two scopes", given: { scope: "Global" }, problems: ["NotSupported spec.scope"] },
    {
      why: "has all names",
      given: { names: {} },
      problems: [
        "Invalid metadata.name",
        ...["kind", "listKind", "plural", "singular"].map((name) => `Required spec.names.${name}`),
      ],
    },
    {
      why: "has names that can be names",
      given: { names: { ...names, singular: "Thing", listKind: "Thing", shortNames: ["Th", ""], categories: ["a b"] } },
      problems: [
        "Invalid spec.names.categories[0]",
        "Invalid spec.names.listKind",
        "Invalid spec.names.shortNames[0]",
        "Invalid spec.names.shortNames[1]",
        "Invalid spec.names.singular",
      ],
    },
    {
      why: "has a version",
      given: { versions: [] },
      problems: ["Invalid spec.versions", "Invalid status.storedVersions"],
    },
    {
      why: "stores one of its versions",
      given: { versions: [version({ storage: false })] },
      problems: ["Invalid spec.versions", "Invalid status.storedVersions"],
    },
    {
      why: "has versions with names of their own",
      given: { versions: [version(), version({ storage: false })] },
      problems: ["Invalid spec.versions"],
    },
    {
      why: "has versions with names that can be names",
      given: { versions: [version({ name: "V_1" })] },
      problems: ["Invalid spec.version", "Invalid spec.versions[0].name"],
    },
    {
      why: "has a schema for each version",
      given: { versions: [version(), version({ name: "v2", storage: false, schema: {} })] },
      problems: ["Required spec.versions[1].schema.openAPIV3Schema"],
    },
    { why: "prunes", given: { preserveUnknownFields: true }, problems: ["Invalid spec.preserveUnknownFields"] },
    {
      why: "warns of deprecated versions only",
      given: { versions: [version({ deprecationWarning: "x" })] },
      problems: ["Invalid spec.versions[0].deprecationWarning"],
    },
    {
      why: "warns in a few printable words",
      given: {
        versions: [version({ deprecated: true, deprecationWarning: "x".repeat(deprecationWarningCharsMax + 1) })],
      },
      problems: ["Invalid spec.versions[0].deprecationWarning"],
    },
    {
      why: "scales by paths of the spec and the status",
      given: {
        versions: [
          version({
            subresources: {
              scale: { specReplicasPath: "spec.x", statusReplicasPath: ".spec.y", labelSelectorPath: ".x" },
            },
          }),
        ],
      },
      problems: ["labelSelectorPath", "specReplicasPath", "statusReplicasPath"].map(
        (path) => `Invalid spec.subresources.scale.${path}`,
      ),
    },
    {
      why: "has columns that can be shown",
      given: {
        versions: [
          version({
            additionalPrinterColumns: [
              { name: "", type: "odd", format: "x" },
              { name: "A", type: "string", jsonPath: "a" },
            ],
          }),
        ],
      },
      problems: [
        "Invalid spec.additionalPrinterColumns[0].format",
        "Invalid spec.additionalPrinterColumns[0].type",
        "Invalid spec.additionalPrinterColumns[1].JSONPath",
        "Required spec.additionalPrinterColumns[0].JSONPath",
        "Required spec.additionalPrinterColumns[0].name",
      ],
    },
    {
      why: "converts in one of two ways",
      given: { conversion: { strategy: "Magic" } },
      problems: ["NotSupported spec.conversion.strategy"],
    },
    {
      why: "says who converts, and how to speak to them",
      given: { conversion: { strategy: "Webhook" } },
      problems: ["Required spec.conversion.conversionReviewVersions", "Required spec.conversion.webhookClientConfig"],
    },
    {
      why: "says so only where somebody converts",
      given: {
        conversion: {
          strategy: "None",
          webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] },
        },
      },
      problems: ["Forbidden spec.conversion.conversionReviewVersions", "Forbidden spec.conversion.webhookClientConfig"],
    },
    {
      why: "speaks a version that the server speaks",
      given: {
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { url: "http://a" }, conversionReviewVersions: ["v9", "v9", "V"] },
        },
      },
      problems: [
        "Invalid spec.conversion.conversionReviewVersions",
        "Invalid spec.conversion.conversionReviewVersions[1]",
        "Invalid spec.conversion.conversionReviewVersions[2]",
        "Invalid spec.conversion.webhookClientConfig.url",
      ],
    },
    {
      why: "reports a missing namespace as v1.21 does",
      given: {
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { service: { name: "b" } }, conversionReviewVersions: ["v1"] },
        },
      },
      problems: ["Required spec.conversion.webhookClientConfig.service.name"],
    },
  ];
  for (const { why, given, problems } of cases) test(why, () => expect(problemsOf(given)).toEqual(problems));

  test("gets its lesser names, no conversion, and the version it stores", () => {
    const { object: made } = create(v1, stable());
    expect(made).toMatchObject({
      spec: { names: { ...names, singular: "thing", listKind: "ThingList" }, conversion: { strategy: "None" } },
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
    });
  });

  test("of a protected group says who approved it, and keeps saying it", () => {
    const guarded = (annotations: object) => ({
      ...stable({ group: "x.orch.io" }),
      metadata: { name: "things.x.orch.io", annotations },
    });
    const key = "api-approved.orch.io";
    expect(create(v1, guarded({})).problems).toEqual([`Required metadata.annotations[${key}]`]);
    expect(create(v1, guarded({ [key]: "me" })).problems).toEqual([`Invalid metadata.annotations[${key}]`]);
    expect(create(v1, guarded({ [key]: "unapproved, a try" })).problems).toEqual([]);
    const approved = create(v1, guarded({ [key]: "https://example.com/1" }));
    expect(approved.problems).toEqual([]);
    expect(update(v1, guarded({}), approved).problems).toContain(`Required metadata.annotations[${key}]`);
  });
});

describe("the schema of a definition", () => {
  const at = "spec.validation.openAPIV3Schema.properties[a]";
  const problemsIn = (a: object) =>
    problemsOf({ versions: [version({ schema: { openAPIV3Schema: { type: "object", properties: { a } } } })] });
  const string = { type: "string" };
  const cases = [
    { why: "has known types", a: { type: "text" }, problems: [`NotSupported ${at}.type`] },
    { why: "has no null", a: { type: "null" }, problems: [`Forbidden ${at}.type`, `NotSupported ${at}.type`] },
    {
      why: "does without what the server does not look at",
      a: {
        type: "string",
        id: "x",
        $ref: "#",
        patternProperties: { x: string },
        dependencies: { x: ["y"] },
        definitions: { d: string },
      },
      problems: ["$ref", "definitions", "dependencies", "id", "patternProperties"].map(
        (keyword) => `Forbidden ${at}.${keyword}`,
      ),
    },
    {
      why: "has no schema that it does not name",
      a: { type: "string", $schema: "x" },
      problems: ["Invalid spec.validation.openAPIV3Schema"],
    },
    { why: "has patterns that are patterns", a: { type: "string", pattern: "(" }, problems: [`Invalid ${at}.pattern`] },
    {
      why: "has patterns without looking around",
      a: { type: "string", pattern: "^(?!x)" },
      problems: [`Invalid ${at}.pattern`],
    },
    {
      why: "has structs or maps",
      a: { type: "object", properties: { b: string }, additionalProperties: string },
      problems: [`Forbidden ${at}.additionalProperties`],
    },
    {
      why: "does not compare all items",
      a: { type: "array", items: string, uniqueItems: true },
      problems: [`Forbidden ${at}.uniqueItems`],
    },
    { why: "has items of one schema", a: { type: "array", items: [string] }, problems: [`Forbidden ${at}.items`] },
    {
      why: "merges what can be merged",
      a: { type: "string", "x-orch-map-type": "atomic", "x-orch-list-type": "set" },
      problems: [`Invalid ${at}.type`, `Invalid ${at}.type`],
    },
    {
      why: "merges in known ways",
      a: { type: "object", "x-orch-map-type": "odd" },
      problems: [`NotSupported ${at}.x-orch-map-type`],
    },
    {
      why: "has sets of what is replaced whole",
      a: { type: "array", "x-orch-list-type": "set", items: { type: "object" } },
      problems: [`Invalid ${at}.items.x-orch-map-type`],
    },
    {
      why: "has keys that are there",
      a: {
        type: "array",
        "x-orch-list-type": "map",
        "x-orch-list-map-keys": ["k", "m"],
        items: { type: "object", properties: { k: string } },
      },
      problems: [`Invalid ${at}.x-orch-list-map-keys`, `Required ${at}.items.properties[k].default`],
    },
    {
      why: "has keys for maps only",
      a: { type: "array", items: string, "x-orch-list-map-keys": ["k"] },
      problems: [`Required ${at}.x-orch-list-type`],
    },
    {
      why: "keeps what is unknown, or does not say",
      a: { type: "object", "x-orch-preserve-unknown-fields": false },
      problems: [`Invalid ${at}.x-orch-preserve-unknown-fields`],
    },
    { why: "has defaults of its own type", a: { type: "integer", default: "x" }, problems: [`Invalid ${at}.default`] },
    {
      why: "has defaults that it would keep",
      a: { type: "object", default: { b: 1 } },
      problems: [`Invalid ${at}.default`],
    },
    {
      why: "has no defaults in choices",
      a: { type: "string", anyOf: [{ default: "x" }] },
      problems: [`Forbidden ${at}.anyOf[0].default`, `Forbidden ${at}.anyOf[0].default`],
    },
  ];
  for (const { why, a, problems } of cases) test(why, () => expect(problemsIn(a)).toEqual(problems));

  test("leaves the status what it says, where the status has a path", () => {
    const schema = { openAPIV3Schema: { type: "object", anyOf: [{ required: ["spec"] }] } };
    expect(problemsOf({ versions: [version({ schema, subresources: { status: {} } })] })).toEqual([
      "Invalid spec.validation.openAPIV3Schema",
    ]);
  });

  test("is reported for its version where versions differ", () => {
    const bad = { openAPIV3Schema: { type: "object", properties: { a: {} } } };
    expect(problemsOf({ versions: [version(), version({ name: "v2", storage: false, schema: bad })] })).toEqual([
      "Required spec.versions[1].schema.openAPIV3Schema.properties[a].type",
    ]);
  });
});

describe("v1beta1", () => {
  test("asks for less: any schema, no schema, unknown members", () => {
    const loose = { openAPIV3Schema: { properties: { a: { type: "odd" } } } };
    expect(create(beta, old({ validation: loose })).problems).toEqual([]);
    expect(create(beta, old()).object["spec"]).toMatchObject({ scope: "Namespaced", preserveUnknownFields: true });
  });

  const cases = [
    {
      why: "a pruning definition has a schema",
      given: { preserveUnknownFields: false },
      problems: ["Required spec.versions[0].schema.openAPIV3Schema"],
    },
    {
      why: "a pruning definition has a structural schema",
      given: { preserveUnknownFields: false, validation: { openAPIV3Schema: { properties: {} } } },
      problems: ["Required spec.validation.openAPIV3Schema.type"],
    },
    {
      why: "there are no defaults",
      given: {
        validation: { openAPIV3Schema: { type: "object", properties: { a: { type: "string", default: "x" } } } },
      },
      problems: ["Forbidden spec.validation.openAPIV3Schema.properties[a].default"],
    },
    {
      why: "the version is the first",
      given: { version: "v2", versions: [version({ schema: undefined })] },
      problems: ["Invalid spec.version"],
    },
    {
      why: "a part is said once",
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
      why: "what is the same for all is said for all",
      given: { versions: [version({ subresources: { status: {} }, schema: undefined })] },
      problems: ["Invalid spec.versions"],
    },
    {
      why: "whoever converts needs pruned objects",
      given: { conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://example.com/x" } } },
      problems: ["Invalid spec.conversion.strategy"],
    },
  ];
  for (const { why, given, problems } of cases)
    test(why, () => expect(create(beta, old(given)).problems).toEqual(problems));

  test("says once what v1 says for each version", () => {
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

describe("a definition that changes", () => {
  const established = (given: object = {}) => {
    const made = create(v1, stable(given));
    const status = made.hub["status"] as object;
    return {
      ...made,
      hub: { ...made.hub, status: { ...status, conditions: [{ type: "Established", status: "True" }] } },
    };
  };
  const withStatus = (given: object, storedVersions: string[]) => ({ ...stable(given), status: { storedVersions } });

  test("keeps its group and plural, and once established its scope and kind", () => {
    const changed = { scope: "Cluster", names: { plural: "others", kind: "Other" }, group: "example.org" };
    expect(update(v1, withStatus(changed, ["v1"]), established()).problems).toEqual([
      "Invalid spec.group",
      "Invalid spec.names.kind",
      "Invalid spec.names.plural",
      "Invalid spec.scope",
    ]);
    expect(update(v1, withStatus({ scope: "Cluster" }, ["v1"]), create(v1, stable())).problems).toEqual([]);
  });

  test("remembers every version that it stored, and keeps those", () => {
    const second = { versions: [version({ storage: false }), version({ name: "v2" })] };
    const moved = update(v1, withStatus(second, ["v1"]), established());
    expect([moved.problems, (moved.hub["status"] as { storedVersions: string[] }).storedVersions]).toEqual([
      [],
      ["v1", "v2"],
    ]);
    const dropped = update(v1, withStatus({ versions: [version({ name: "v2" })] }, ["v1", "v2"]), moved);
    expect(dropped.problems).toEqual(["Invalid status.storedVersions[0]"]);
  });

  test("stays writable in v1 although v1 would not have taken it", () => {
    const loose = create(beta, old({ validation: { openAPIV3Schema: { properties: { a: { type: "odd" } } } } }));
    const shown = v1.fromHub(loose.hub);
    expect(update(v1, { ...shown, metadata: { ...metadata, labels: { a: "b" } } }, loose).problems).toEqual([]);
  });

  test("has accepted names that can be names", () => {
    const { hub } = create(v1, stable());
    const next = {
      ...v1.fromHub(hub),
      status: { conditions: [], storedVersions: ["v1"], acceptedNames: { plural: "A B", kind: "" } },
    };
    const validate = v1.subresources.get("status")?.validate;
    expect(show(validate?.(next, hub, environment) ?? [])).toEqual(["Invalid status.acceptedNames.plural"]);
  });
});

test("choices between a schema and something simpler survive protobuf", () => {
  const schema = {
    items: [{ type: "string" }],
    additionalItems: false,
    additionalProperties: { type: "integer" },
    dependencies: { a: ["b", "c"], d: { required: ["e"] } },
    properties: { list: { items: { type: "string" } }, any: { additionalProperties: true } },
  };
  const definition = decodeKind(v1, stable({ versions: [version({ schema: { openAPIV3Schema: schema } })] }));
  const bytes = encodeProtobuf(v1.schema, definition);
  expect(decodeKind(v1, decodeProtobuf(v1.schema, bytes))).toEqual(definition);
  expect(definition["spec"]).toMatchObject({ versions: [{ schema: { openAPIV3Schema: schema } }] });
});
