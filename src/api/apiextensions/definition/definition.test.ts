import { describe, expect, test } from "vitest";
import { create, update } from "../../life.suite.ts";
import { deprecationWarningCharsMax } from "../v1beta1/definition-spec.ts";
import { names, problemsOf, stable, v1, version } from "./definition.suite.ts";

describe("a definition", () => {
  const cases = [
    { why: "may be minimal", given: {}, problems: [] },
    {
      why: "must be named PLURAL.GROUP",
      given: { names: { plural: "others", kind: "Thing" } },
      problems: ["Invalid metadata.name"],
    },
    {
      why: "must have a group with a dot",
      given: { group: "example" },
      problems: ["Invalid metadata.name", "Invalid spec.group"],
    },
    { why: "must have a scope", given: { scope: "" }, problems: ["Required spec.scope"] },
    { why: "must have a known scope", given: { scope: "Global" }, problems: ["NotSupported spec.scope"] },
    {
      why: "must have all names",
      given: { names: {} },
      problems: [
        "Invalid metadata.name",
        ...["kind", "listKind", "plural", "singular"].map((name) => `Required spec.names.${name}`),
      ],
    },
    {
      why: "must have valid names",
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
      why: "must have a version",
      given: { versions: [] },
      problems: ["Invalid spec.versions", "Invalid status.storedVersions"],
    },
    {
      why: "must store exactly one of its versions",
      given: { versions: [version({ storage: false })] },
      problems: ["Invalid spec.versions", "Invalid status.storedVersions"],
    },
    {
      why: "must have unique version names",
      given: { versions: [version(), version({ storage: false })] },
      problems: ["Invalid spec.versions"],
    },
    {
      why: "must have valid version names",
      given: { versions: [version({ name: "V_1" })] },
      problems: ["Invalid spec.version", "Invalid spec.versions[0].name"],
    },
    {
      why: "must have a schema for each version",
      given: { versions: [version(), version({ name: "v2", storage: false, schema: {} })] },
      problems: ["Required spec.versions[1].schema.openAPIV3Schema"],
    },
    {
      why: "must prune unknown fields",
      given: { preserveUnknownFields: true },
      problems: ["Invalid spec.preserveUnknownFields"],
    },
    {
      why: "may have a warning for deprecated versions only",
      given: { versions: [version({ deprecationWarning: "x" })] },
      problems: ["Invalid spec.versions[0].deprecationWarning"],
    },
    {
      why: "must have a short, printable warning",
      given: {
        versions: [version({ deprecated: true, deprecationWarning: "x".repeat(deprecationWarningCharsMax + 1) })],
      },
      problems: ["Invalid spec.versions[0].deprecationWarning"],
    },
    {
      why: "must have valid scale paths",
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
      why: "must have valid columns",
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
      why: "must have a known conversion strategy",
      given: { conversion: { strategy: "Magic" } },
      problems: ["NotSupported spec.conversion.strategy"],
    },
    {
      why: "must name the webhook and its review versions",
      given: { conversion: { strategy: "Webhook" } },
      problems: ["Required spec.conversion.conversionReviewVersions", "Required spec.conversion.webhookClientConfig"],
    },
    {
      why: "must not name a webhook without the strategy Webhook",
      given: {
        conversion: {
          strategy: "None",
          webhook: { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] },
        },
      },
      problems: ["Forbidden spec.conversion.conversionReviewVersions", "Forbidden spec.conversion.webhookClientConfig"],
    },
    {
      why: "must list a review version that the server supports",
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

  test("gets default names, conversion None, and its storage version in the status", () => {
    const { object: made } = create(v1, stable());
    expect(made).toMatchObject({
      spec: { names: { ...names, singular: "thing", listKind: "ThingList" }, conversion: { strategy: "None" } },
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] },
    });
  });

  test("does not support generateName", () => {
    const given = stable();
    expect(create(v1, { ...given, metadata: { generateName: "things-", name: "things-x" } }).problems).toEqual([
      "Invalid metadata.generateName",
      "Invalid metadata.name",
    ]);
  });

  test("of a protected group must have the approval annotation, also after an update", () => {
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

test("a definition is validated in several steps for each schema", () => {
  const schema = (name: string) => ({
    openAPIV3Schema: { type: "object", properties: { [name]: { type: "string" } } },
  });
  const versions = ["v1", "v2", "v3"].map((name) => version({ name, storage: name === "v1", schema: schema(name) }));
  for (const count of [1, 3]) {
    const { hub } = create(v1, stable({ versions: versions.slice(0, count) }));
    const steps = v1.strategy.validateInSteps?.(hub, undefined, v1.family.environment);
    expect([...(steps ?? [])].length).toBeGreaterThanOrEqual(4 * count);
  }
});

test("validation takes more steps for more properties, also on update", () => {
  const wide = (count: number, type: string) =>
    stable({
      versions: [
        version({
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type }])),
            },
          },
        }),
      ],
    });
  const stepsOf = (count: number, type: string) => {
    const before = create(v1, wide(count, "string")).hub;
    const { hub } = create(v1, wide(count, type));
    return [...(v1.strategy.validateInSteps?.(hub, before, v1.family.environment) ?? [])].length;
  };
  for (const type of ["integer", "strange"]) expect(stepsOf(8_000, type) - stepsOf(10, type)).toBeGreaterThan(50);
});

test("both versions of a definition share its schemas", () => {
  const { hub } = create(v1, stable());
  const schemaIn = ({ spec }: Record<string, unknown>) =>
    (spec as { versions: [{ schema: { openAPIV3Schema: object } }] }).versions[0].schema.openAPIV3Schema;
  const { validation } = hub["spec"] as { validation: { openAPIV3Schema: object } };
  expect(schemaIn(v1.fromHub(hub))).toBe(validation.openAPIV3Schema);
});
