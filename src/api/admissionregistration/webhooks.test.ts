import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { MutatingWebhookConfiguration } from "./v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "./v1/validating-webhook-configuration.ts";
import { MutatingWebhookConfiguration as MutatingBeta } from "./v1beta1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration as ValidatingBeta } from "./v1beta1/validating-webhook-configuration.ts";

const metadata = { name: "x" };
const mutating = bindVersions([MutatingWebhookConfiguration, MutatingBeta]);
const validating = bindVersions([ValidatingWebhookConfiguration, ValidatingBeta]);
const hook = {
  name: "a.example.com",
  clientConfig: { url: "https://example.com/hook" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const configuration = (...hooks: object[]) => ({ metadata, webhooks: hooks.map((one) => ({ ...hook, ...one })) });

describe.each([
  { kind: "mutating", v1: mutating.version("v1"), beta: mutating.version("v1beta1") },
  { kind: "validating", v1: validating.version("v1"), beta: validating.version("v1beta1") },
])("a $kind webhook", ({ v1, beta }) => {
  const cases = [
    { why: "may ask for nothing", hooks: [{}], problems: [] },
    { why: "has a name", hooks: [{ name: "" }], problems: ["Required webhooks[0].name"] },
    { why: "has a name in a domain", hooks: [{ name: "a.b" }], problems: ["Invalid webhooks[0].name"] },
    { why: "is there once", hooks: [{}, {}], problems: ["Duplicate webhooks[1].name"] },
    { why: "says what else it does", hooks: [{ sideEffects: null }], problems: ["Required webhooks[0].sideEffects"] },
    {
      why: "says nothing where it says something empty",
      hooks: [
        {
          sideEffects: "",
          failurePolicy: "",
          matchPolicy: "",
          rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], scope: "" }],
        },
      ],
      problems: [
        "NotSupported webhooks[0].failurePolicy",
        "NotSupported webhooks[0].matchPolicy",
        "NotSupported webhooks[0].rules[0].scope",
        "NotSupported webhooks[0].sideEffects",
      ],
    },
    {
      why: "does nothing else",
      hooks: [{ sideEffects: "Some" }],
      problems: ["NotSupported webhooks[0].sideEffects"],
    },
    {
      why: "says which reviews it reads",
      hooks: [{ admissionReviewVersions: [] }],
      problems: ["Required webhooks[0].admissionReviewVersions"],
    },
    {
      why: "reads a review that the server writes",
      hooks: [{ admissionReviewVersions: ["v2", "V3", "v2"] }],
      problems: [
        "Invalid webhooks[0].admissionReviewVersions",
        "Invalid webhooks[0].admissionReviewVersions[1]",
        "Invalid webhooks[0].admissionReviewVersions[2]",
      ],
    },
    { why: "may read reviews of the future", hooks: [{ admissionReviewVersions: ["v9", "v1beta1"] }], problems: [] },
    { why: "has some time", hooks: [{ timeoutSeconds: 0 }], problems: ["Invalid webhooks[0].timeoutSeconds"] },
    { why: "has thirty seconds", hooks: [{ timeoutSeconds: 30 }], problems: [] },
    { why: "has no more", hooks: [{ timeoutSeconds: 31 }], problems: ["Invalid webhooks[0].timeoutSeconds"] },
    {
      why: "has policies that there are",
      hooks: [{ failurePolicy: "Retry", matchPolicy: "Roughly" }],
      problems: ["NotSupported webhooks[0].failurePolicy", "NotSupported webhooks[0].matchPolicy"],
    },
    {
      why: "chooses by selectors that select",
      hooks: [
        {
          namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
          objectSelector: { matchExpressions: [{ key: "a", operator: "Is" }] },
        },
      ],
      problems: [
        "Invalid webhooks[0].objectSelector.matchExpressions[0].operator",
        "Required webhooks[0].namespaceSelector.matchExpressions[0].values",
      ],
    },
  ];
  for (const { why, hooks, problems } of cases)
    test(why, () => expect(create(v1, configuration(...hooks)).problems).toEqual(problems));

  test("is asked for ten seconds, of equivalent resources everywhere, and must answer", () => {
    const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
    const service = { namespace: "n", name: "s" };
    expect(create(v1, configuration({ rules, clientConfig: { service } })).object["webhooks"]).toMatchObject([
      {
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        timeoutSeconds: 10,
        namespaceSelector: {},
        objectSelector: {},
        rules: [{ scope: "*" }],
        clientConfig: { service: { port: 443 } },
      },
    ]);
  });

  test("is ignored, waited for longer and matched exactly by v1beta1", () => {
    const { name, clientConfig } = hook;
    expect(create(beta, { metadata, webhooks: [{ name, clientConfig }] }).object["webhooks"]).toMatchObject([
      {
        failurePolicy: "Ignore",
        matchPolicy: "Exact",
        timeoutSeconds: 30,
        sideEffects: "Unknown",
        admissionReviewVersions: ["v1beta1"],
      },
    ]);
  });

  test("may do more, and be there twice, in v1beta1", () => {
    expect(create(beta, configuration({ sideEffects: "Some" }, {})).problems).toEqual([]);
  });

  test("made by v1beta1 stays writable through v1, but a good one stays good", () => {
    const loose = configuration({ sideEffects: "Some", admissionReviewVersions: ["v1"] }, {});
    expect(update(v1, loose, create(beta, loose)).problems).toEqual([]);
    expect(update(v1, loose, create(v1, configuration({}))).problems).toEqual([
      "Duplicate webhooks[1].name",
      "NotSupported webhooks[0].sideEffects",
    ]);
  });

  test("is counted in the row", () => {
    const { object } = create(v1, configuration({}, { name: "b.example.com" }));
    expect(tableRow(v1, object, v1.family.environment).slice(0, 2)).toEqual(["x", 2]);
  });
});

describe("the rules of a webhook", () => {
  const kind = validating.version("v1");
  const all = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
  const at = "webhooks[0].rules[0]";
  const cases = [
    {
      why: "say all four",
      rule: { operations: [], apiGroups: [], apiVersions: [], resources: [] },
      problems: ["apiGroups", "apiVersions", "operations", "resources"].map((field) => `Required ${at}.${field}`),
    },
    {
      why: "say all or some",
      rule: { operations: ["*", "CREATE"], apiGroups: ["*", ""], apiVersions: ["*", "v1"] },
      problems: ["apiGroups", "apiVersions", "operations"].map((field) => `Invalid ${at}.${field}`),
    },
    {
      why: "name what can be asked",
      rule: { operations: ["GET"], apiVersions: [""], resources: [""], scope: "Galaxy" },
      problems: [
        `NotSupported ${at}.operations[0]`,
        `NotSupported ${at}.scope`,
        `Required ${at}.apiVersions[0]`,
        `Required ${at}.resources[0]`,
      ],
    },
    { why: "take everything alone", rule: { resources: ["*/*", "pods"] }, problems: [`Invalid ${at}.resources`] },
    { why: "take all resources alone", rule: { resources: ["*", "pods"] }, problems: [`Invalid ${at}.resources`] },
    { why: "may name all resources last", rule: { resources: ["pods", "*"] }, problems: [] },
    {
      why: "take all paths of everything, and nothing of it again",
      rule: { resources: ["*/*", "pods/*", "*/scale", "pods/a/b"] },
      problems: ["", "[1]", "[2]", "[3]"].map((index) => `Invalid ${at}.resources${index}`),
    },
    { why: "may add paths below to all resources", rule: { resources: ["*", "pods/status"] }, problems: [] },
    {
      why: "do not name again what is covered",
      rule: { resources: ["pods/*", "pods/status", "*/scale", "things/scale"] },
      problems: [`Invalid ${at}.resources[1]`, `Invalid ${at}.resources[3]`],
    },
  ];
  for (const { why, rule, problems } of cases)
    test(why, () => expect(create(kind, configuration({ rules: [{ ...all, ...rule }] })).problems).toEqual(problems));
});

describe("the place of a webhook", () => {
  const kind = validating.version("v1");
  const at = "webhooks[0].clientConfig";
  const service = { namespace: "n", name: "s" };
  const url = "https://example.com";
  const cases = [
    { why: "is somewhere", client: {}, problems: [`Required ${at}`] },
    { why: "is in one place", client: { url, service }, problems: [`Required ${at}`] },
    { why: "is a URL", client: { url: "nowhere" }, problems: [`Invalid ${at}.url`, `Invalid ${at}.url`] },
    { why: "is not reached in the open", client: { url: "http://example.com" }, problems: [`Invalid ${at}.url`] },
    { why: "has no password in it", client: { url: "https://u:p@example.com" }, problems: [`Invalid ${at}.url`] },
    { why: "has no query", client: { url: `${url}/?a=b` }, problems: [`Invalid ${at}.url`] },
    { why: "has no fragment", client: { url: `${url}/#a` }, problems: [`Invalid ${at}.url`] },
    { why: "can be read", client: { url: "https://[::1/" }, problems: [`Required ${at}.url`] },
    { why: "has a host", client: { url: "https:///hook" }, problems: [`Invalid ${at}.url`] },
    {
      why: "is a service with a name in a namespace",
      client: { service: { namespace: "", name: "" } },
      problems: [`Required ${at}.service.name`, `Required ${at}.service.namespace`],
    },
    {
      why: "misses its name under the name of its namespace, as v1.21 says it",
      client: { service: { ...service, name: "" } },
      problems: [`Required ${at}.service.namespace`],
    },
    {
      why: "misses its namespace under the name of its name",
      client: { service: { ...service, namespace: "" } },
      problems: [`Required ${at}.service.name`],
    },
    {
      why: "is a port that there is",
      client: { service: { ...service, port: 65536 } },
      problems: [`Invalid ${at}.service.port`],
    },
    { why: "may be below a path", client: { service: { ...service, path: "/a/b/" } }, problems: [] },
    ...["//", "a", "/a//b", "/a/../b", "/A"].map((path) => ({
      why: `is not below ${path}`,
      client: { service: { ...service, path } },
      problems: [`Invalid ${at}.service.path`],
    })),
  ];
  for (const { why, client, problems } of cases)
    test(why, () => expect(create(kind, configuration({ clientConfig: client })).problems).toEqual(problems));
});

test("a webhook that changes objects is asked again when it says so", () => {
  const kind = mutating.version("v1");
  expect(create(kind, configuration({})).object["webhooks"]).toMatchObject([{ reinvocationPolicy: "Never" }]);
  expect(create(kind, configuration({ reinvocationPolicy: "Often" })).problems).toEqual([
    "NotSupported webhooks[0].reinvocationPolicy",
  ]);
});
