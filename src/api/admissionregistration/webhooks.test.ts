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
    { why: "may be minimal", hooks: [{}], problems: [] },
    { why: "must have a name", hooks: [{ name: "" }], problems: ["Required webhooks[0].name"] },
    { why: "must have a fully qualified name", hooks: [{ name: "a.b" }], problems: ["Invalid webhooks[0].name"] },
    { why: "must have a unique name", hooks: [{}, {}], problems: ["Duplicate webhooks[1].name"] },
    {
      why: "must declare its side effects",
      hooks: [{ sideEffects: null }],
      problems: ["Required webhooks[0].sideEffects"],
    },
    {
      why: "must not have empty values",
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
      why: "must have no side effects in v1",
      hooks: [{ sideEffects: "Some" }],
      problems: ["NotSupported webhooks[0].sideEffects"],
    },
    {
      why: "must list review versions",
      hooks: [{ admissionReviewVersions: [] }],
      problems: ["Required webhooks[0].admissionReviewVersions"],
    },
    {
      why: "must list a review version that the server supports",
      hooks: [{ admissionReviewVersions: ["v2", "V3", "v2"] }],
      problems: [
        "Invalid webhooks[0].admissionReviewVersions",
        "Invalid webhooks[0].admissionReviewVersions[1]",
        "Invalid webhooks[0].admissionReviewVersions[2]",
      ],
    },
    {
      why: "may list unknown review versions as well",
      hooks: [{ admissionReviewVersions: ["v9", "v1beta1"] }],
      problems: [],
    },
    {
      why: "must have a positive timeout",
      hooks: [{ timeoutSeconds: 0 }],
      problems: ["Invalid webhooks[0].timeoutSeconds"],
    },
    { why: "may have a timeout of thirty seconds", hooks: [{ timeoutSeconds: 30 }], problems: [] },
    {
      why: "must not have a longer timeout",
      hooks: [{ timeoutSeconds: 31 }],
      problems: ["Invalid webhooks[0].timeoutSeconds"],
    },
    {
      why: "must have known policies",
      hooks: [{ failurePolicy: "Retry", matchPolicy: "Roughly" }],
      problems: ["NotSupported webhooks[0].failurePolicy", "NotSupported webhooks[0].matchPolicy"],
    },
    {
      why: "must have valid selectors",
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

  test("has the defaults of v1", () => {
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

  test("has other defaults in v1beta1", () => {
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

  test("may have side effects and a duplicate name in v1beta1", () => {
    expect(create(beta, configuration({ sideEffects: "Some" }, {})).problems).toEqual([]);
  });

  test("created through v1beta1 stays writable through v1, but must not become worse", () => {
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
      why: "must have all four lists",
      rule: { operations: [], apiGroups: [], apiVersions: [], resources: [] },
      problems: ["apiGroups", "apiVersions", "operations", "resources"].map((field) => `Required ${at}.${field}`),
    },
    {
      why: "must not combine a star with other values",
      rule: { operations: ["*", "CREATE"], apiGroups: ["*", ""], apiVersions: ["*", "v1"] },
      problems: ["apiGroups", "apiVersions", "operations"].map((field) => `Invalid ${at}.${field}`),
    },
    {
      why: "must have known operations, resources and scopes",
      rule: { operations: ["GET"], apiVersions: [""], resources: [""], scope: "Galaxy" },
      problems: [
        `NotSupported ${at}.operations[0]`,
        `NotSupported ${at}.scope`,
        `Required ${at}.apiVersions[0]`,
        `Required ${at}.resources[0]`,
      ],
    },
    {
      why: "must not combine */* with resources",
      rule: { resources: ["*/*", "pods"] },
      problems: [`Invalid ${at}.resources`],
    },
    {
      why: "must not combine a leading * with resources",
      rule: { resources: ["*", "pods"] },
      problems: [`Invalid ${at}.resources`],
    },
    { why: "may have * last, as in v1.21", rule: { resources: ["pods", "*"] }, problems: [] },
    {
      why: "must not repeat what */* covers",
      rule: { resources: ["*/*", "pods/*", "*/scale", "pods/a/b"] },
      problems: ["", "[1]", "[2]", "[3]"].map((index) => `Invalid ${at}.resources${index}`),
    },
    { why: "may combine * with subresources", rule: { resources: ["*", "pods/status"] }, problems: [] },
    {
      why: "must not repeat what a pattern covers",
      rule: { resources: ["pods/*", "pods/status", "*/scale", "things/scale"] },
      problems: [`Invalid ${at}.resources[1]`, `Invalid ${at}.resources[3]`],
    },
  ];
  for (const { why, rule, problems } of cases)
    test(why, () => expect(create(kind, configuration({ rules: [{ ...all, ...rule }] })).problems).toEqual(problems));
});

describe("the client configuration of a webhook", () => {
  const kind = validating.version("v1");
  const at = "webhooks[0].clientConfig";
  const service = { namespace: "n", name: "s" };
  const url = "https://example.com";
  const cases = [
    { why: "is required", client: {}, problems: [`Required ${at}`] },
    { why: "must not have both a URL and a service", client: { url, service }, problems: [`Required ${at}`] },
    { why: "must have a valid URL", client: { url: "nowhere" }, problems: [`Invalid ${at}.url`, `Invalid ${at}.url`] },
    { why: "must use https", client: { url: "http://example.com" }, problems: [`Invalid ${at}.url`] },
    {
      why: "must not contain credentials",
      client: { url: "https://u:p@example.com" },
      problems: [`Invalid ${at}.url`],
    },
    { why: "must not have a query", client: { url: `${url}/?a=b` }, problems: [`Invalid ${at}.url`] },
    { why: "must not have a fragment", client: { url: `${url}/#a` }, problems: [`Invalid ${at}.url`] },
    {
      why: "reports an unreadable URL as missing, as v1.21",
      client: { url: "https://[::1/" },
      problems: [`Required ${at}.url`],
    },
    { why: "must have a host", client: { url: "https:///hook" }, problems: [`Invalid ${at}.url`] },
    {
      why: "must have a name and a namespace for a service",
      client: { service: { namespace: "", name: "" } },
      problems: [`Required ${at}.service.name`, `Required ${at}.service.namespace`],
    },
    {
      why: "reports a missing name under the namespace, as v1.21",
      client: { service: { ...service, name: "" } },
      problems: [`Required ${at}.service.namespace`],
    },
    {
      why: "reports a missing namespace under the name, as v1.21",
      client: { service: { ...service, namespace: "" } },
      problems: [`Required ${at}.service.name`],
    },
    {
      why: "must have a valid port",
      client: { service: { ...service, port: 65536 } },
      problems: [`Invalid ${at}.service.port`],
    },
    { why: "may have a path", client: { service: { ...service, path: "/a/b/" } }, problems: [] },
    ...["//", "a", "/a//b", "/a/../b", "/A"].map((path) => ({
      why: `must not have the path ${path}`,
      client: { service: { ...service, path } },
      problems: [`Invalid ${at}.service.path`],
    })),
  ];
  for (const { why, client, problems } of cases)
    test(why, () => expect(create(kind, configuration({ clientConfig: client })).problems).toEqual(problems));
});

test("a mutating webhook has a reinvocationPolicy", () => {
  const kind = mutating.version("v1");
  expect(create(kind, configuration({})).object["webhooks"]).toMatchObject([{ reinvocationPolicy: "Never" }]);
  expect(create(kind, configuration({ reinvocationPolicy: "Often" })).problems).toEqual([
    "NotSupported webhooks[0].reinvocationPolicy",
  ]);
});
