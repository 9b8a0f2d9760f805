import { expect, test } from "vitest";
import { operatorFile } from "../../admission/configuration/operator-file.ts";
import type { Attributes } from "../../authz/contract.ts";
import { createManualClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { orch } from "../../vocabulary/orch.ts";
import { asked } from "./asked.suite.ts";
import {
  authorizersMax,
  matchConditionsMax,
  parseAuthorizationConfig,
  webhookTimeoutMsMax,
} from "./authorization-config.ts";

const head = { apiVersion: "apiserver.config.orch.io/v1", kind: "AuthorizationConfiguration" };
const connection = JSON.stringify({
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1/authorize" } }],
  users: [{ name: "u", user: {} }],
  contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
  "current-context": "x",
});
const webhook = {
  timeout: "1s",
  subjectAccessReviewVersion: "v1",
  matchConditionSubjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "hook.conf" },
};
const hook = (more: object = {}, name = "hook") => ({ type: "Webhook", name, webhook: { ...webhook, ...more } });
const parse = (authorizers: unknown) =>
  parseAuthorizationConfig(
    operatorFile("/etc/a.yaml", JSON.stringify({ ...head, authorizers }), () => connection),
    { vocabulary: orch, release: "1.35", clock: createManualClock(0), log: silentLog },
  );

test("authorizers are kept in the order of the file, under their names", async () => {
  const found = await parse([hook(), { type: "Node", name: "node" }, { type: "RBAC", name: "rbac" }]);
  expect(found.map(({ type, name }) => `${type} ${name}`)).toEqual(["Webhook hook", "Node node", "RBAC rbac"]);
});

test("a mistake is reported with its place", async () => {
  const conditions = (expression: string) => ({ matchConditions: [{ expression }] });
  const cases: readonly [unknown, string][] = [
    [[], "at least one authorizer"],
    [[{ type: "Magic", name: "a" }], "authorizers[0].type: must be one of"],
    [[{ type: "RBAC", name: "A b" }], "authorizers[0].name: must be a DNS subdomain"],
    [
      [
        { type: "RBAC", name: "a" },
        { type: "RBAC", name: "b" },
      ],
      "authorizers[1].type: RBAC is named twice",
    ],
    [
      [
        { type: "RBAC", name: "a" },
        { type: "Node", name: "a" },
      ],
      'authorizers[1].name: "a" is used twice',
    ],
    [[{ type: "RBAC", name: "a", webhook }], "only the type Webhook has one"],
    [[{ type: "Webhook", name: "a" }], "the type Webhook needs it"],
    [[hook({ timeout: `${webhookTimeoutMsMax + 1}ms` })], "webhook.timeout: must be more than 0s"],
    [[hook({ timeout: "soon" })], "is not a duration"],
    [[hook({ failurePolicy: "Allow" })], "failurePolicy: must be Deny or NoOpinion"],
    [[hook({ subjectAccessReviewVersion: "v2" })], "subjectAccessReviewVersion"],
    [[hook({ connectionInfo: { type: "Telepathy" } })], "connectionInfo.type"],
    // The format has it for extension servers; v1.35's own server refuses it too.
    [[hook({ connectionInfo: { type: "InClusterConfig" } })], "connectionInfo.type: must be KubeConfigFile"],
    [[hook({ surprise: 1 })], 'unknown field "authorizers[0].webhook.surprise"'],
    [[hook(conditions("request.user + 1"))], "matchConditions[0].expression"],
    [[hook(conditions("request.user"))], "must be a bool"],
    [[hook({ ...conditions("true"), matchConditionSubjectAccessReviewVersion: "" })], "must be v1"],
    [[hook({ matchConditionSubjectAccessReviewVersion: "v1beta1" })], "must be v1"],
    [[hook({ matchConditions: [{ expression: "true" }, { expression: "true" }] })], "[1].expression"],
    [[hook({ authorizedTTL: "-1s" })], "authorizedTTL: must be more than 0s"],
    [Array.from({ length: authorizersMax + 1 }, (_, at) => hook({}, `hook-${at}`)), "authorizers: must have at most"],
    [[hook({ matchConditions: Array(matchConditionsMax + 1).fill({ expression: "true" }) })], "at most"],
  ];
  for (const [authorizers, message] of cases) await expect(parse(authorizers)).rejects.toThrow(message);
});

test("a webhook is asked only if its conditions hold, and a failure counts by its policy", async () => {
  const matchConditions = [
    { expression: "request.user.startsWith('a-')" },
    { expression: "has(request.resourceAttributes) && request.resourceAttributes.resource == 'pods'" },
    { expression: "request.extra['need'][0] == 'yes'" },
  ];
  const decide = async (failurePolicy: string, given: Attributes) =>
    (await parse([hook({ failurePolicy, matchConditions })]))[0]?.webhook?.authorize(given);
  // One condition does not hold, so that of the missing key does not matter.
  expect(await decide("Deny", asked("b-1"))).toEqual({ outcome: "none", reason: "" });
  expect(await decide("Deny", asked("a-1"))).toMatchObject({ outcome: "deny", error: expect.stringContaining("hook") });
  expect(await decide("NoOpinion", asked("a-1"))).toMatchObject({ outcome: "none", error: expect.any(String) });
  const user = { name: "a-1", uid: "", groups: [], extra: new Map([["need", ["yes"]]]) };
  // All hold: the service is called, and does not answer.
  expect(await decide("Deny", asked("", { user }))).toMatchObject({
    outcome: "deny",
    error: expect.stringContaining("could not be called"),
  });
});
