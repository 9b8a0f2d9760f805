import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { TokenRequest } from "../../api/authentication/v1/token-request.ts";
import { TokenReview } from "../../api/authentication/v1/token-review.ts";
import { LocalSubjectAccessReview } from "../../api/authorization/v1/local-subject-access-review.ts";
import { SelfSubjectAccessReview } from "../../api/authorization/v1/self-subject-access-review.ts";
import { SelfSubjectRulesReview } from "../../api/authorization/v1/self-subject-rules-review.ts";
import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import { SubjectAccessReview as SubjectAccessReviewBeta } from "../../api/authorization/v1beta1/subject-access-review.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { TokenAuthenticator } from "../../authn/contract.ts";
import { peekToken } from "../../authn/jwt.ts";
import { parseSigningKey } from "../../authn/signing-keys.ts";
import { createTokenSigner } from "../../authn/token-signer.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { RbacIndex } from "../../authz/rbac-index.ts";
import { createManualClock } from "../../base/clock.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { notFound } from "../../machinery/status/status.ts";
import { admitAll } from "../../registry/contract/admission.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { withAdmission } from "../../registry/with-admission.ts";
import { orch } from "../../vocabulary/orch.ts";
import { accessActions } from "./actions.ts";

const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
const kinds = [
  ...[TokenRequest, TokenReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview],
  ...[SubjectAccessReview, SubjectAccessReviewBeta, Secret, ServiceAccount, Pod],
]; // of any fields, as far as the catalog is concerned
const catalog = createCatalog(
  kinds,
  plainEnvironment({ gates: { enabled: (name) => name === "ServerSideApply" }, clock }),
);

const tokens: TokenAuthenticator = {
  name: "t",
  authenticateToken: (token, audiences = []) =>
    token === "good"
      ? { user: { name: "ann", uid: "1", groups: ["dev"], extra: new Map([["__proto__", ["x"]]]) }, by: "t", audiences }
      : "rejected",
};

function setup() {
  const asked: Attributes[] = [];
  const authorizer: Authorizer = {
    name: "test",
    authorize(attributes) {
      asked.push(attributes);
      return attributes.verb === "get" ? { outcome: "allow", reason: "fine" } : { outcome: "none", reason: "" };
    },
    rulesFor: () => ({
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] }],
      nonResourceRules: [],
      incomplete: false,
      evaluationError: "half",
    }),
  };
  const objects = new Map<string, ApiObject>([
    ["serviceaccounts/sa", { metadata: { name: "sa", uid: "u1" } }],
    ["pods/p", { metadata: { name: "p", uid: "p1" }, spec: { serviceAccountName: "sa" } }],
    ["pods/q", { metadata: { name: "q", uid: "q1" }, spec: { serviceAccountName: "other" } }],
    ["secrets/s", { metadata: { name: "s", uid: "s1" } }],
  ]);
  const registry = {
    async get(kind: { resource: string; group: string }, { name }: { name: string }) {
      const object = objects.get(`${kind.resource}/${name}`);
      if (object === undefined) throw notFound({ group: kind.group, kind: kind.resource }, name);
      return { object: () => object } as Entry;
    },
  } as Registry; // only what is used
  const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  const key = parseSigningKey(String(pem));
  const signer = createTokenSigner({ issuer: "https://i", key: () => key, vocabulary: orch, clock });
  const actions = accessActions({
    authorizer,
    tokens,
    audiences: ["api"],
    catalog,
    signer,
    explain: new RbacIndex("exact"),
  });
  const post = async (
    action: string,
    [group, version, kind]: [string, string, string],
    body: object,
    namespace = "",
    name = "",
  ) => {
    const bound = catalog.byKind(group, version, kind)!;
    const isToken = action === "serviceaccounts/token";
    const answer = await withAdmission(action, actions.get(action)!, admitAll).create!({
      kind: isToken ? catalog.byKind("", "v1", "ServiceAccount")! : bound,
      accepted: isToken ? bound : undefined,
      ref: { namespace, name },
      body: { kind, apiVersion: `${group}/${version}`, metadata: {}, ...body } as ApiObject,
      context: {
        user: { name: "me", uid: "", groups: [], extra: new Map() },
        dryRun: false,
        fieldManager: "m",
        warn() {},
      },
      registry,
    });
    expect(answer.code).toBe(201);
    return answer.object as ApiObject & { spec: Record<string, unknown>; status: Record<string, unknown> };
  };
  return { post, asked };
}
const v1 = (kind: string): [string, string, string] => ["authorization.orch.io", "v1", kind];
const resourceAttributes = { verb: "get", resource: "pods", namespace: "ns" };
const causes = (...fields: string[]) =>
  expect.objectContaining({
    code: 422,
    details: {
      group: "authorization.orch.io",
      causes: fields.map((field) => expect.objectContaining({ field, reason: "FieldValueInvalid" })),
    },
  });

describe("access reviews", () => {
  test("a subject is authorized by the attributes in the review", async () => {
    const { post, asked } = setup();
    const spec = { user: "ann", groups: ["g"], uid: "7", extra: { k: ["v"] }, resourceAttributes };
    const review = await post("subjectaccessreviews", v1("SubjectAccessReview"), { spec });
    expect(review.status).toEqual({ allowed: true, reason: "fine" });
    expect(review.spec).toEqual(spec);
    expect(review.metadata.managedFields).toMatchObject([{ manager: "m", operation: "Update" }]);
    expect(asked[0]).toMatchObject({
      user: { name: "ann", uid: "7", groups: ["g"], extra: new Map([["k", ["v"]]]) },
      isResource: true,
      resource: "pods",
      namespace: "ns",
    });
  });

  test("a self review is about the caller", async () => {
    const { post, asked } = setup();
    const nonResourceAttributes = { path: "/metrics", verb: "post" };
    const review = await post("selfsubjectaccessreviews", v1("SelfSubjectAccessReview"), {
      spec: { nonResourceAttributes },
    });
    expect(review.status).toEqual({ allowed: false });
    expect(asked[0]).toMatchObject({ user: { name: "me" }, isResource: false, path: "/metrics", verb: "post" });
  });

  test("v1beta1 has its groups under another name", async () => {
    const { post, asked } = setup();
    const beta: [string, string, string] = ["authorization.orch.io", "v1beta1", "SubjectAccessReview"];
    const review = await post("subjectaccessreviews", beta, { spec: { group: ["a"], resourceAttributes } });
    expect(review).toMatchObject({ apiVersion: "authorization.orch.io/v1beta1", spec: { group: ["a"] } });
    expect(asked[0]?.user.groups).toEqual(["a"]);
  });

  test("all missing and superfluous fields are reported at once", async () => {
    const { post } = setup();
    const subject = (body: object) => post("subjectaccessreviews", v1("SubjectAccessReview"), body);
    await expect(subject({})).rejects.toEqual(causes("spec.resourceAttributes", "spec.user"));
    await expect(subject({ spec: { resourceAttributes } })).rejects.toEqual(causes("spec.user"));
    const both = { user: "x", resourceAttributes, nonResourceAttributes: {} };
    await expect(subject({ spec: both })).rejects.toEqual(causes("spec.nonResourceAttributes"));
    const named = { metadata: { name: "x" }, spec: { user: "x", resourceAttributes } };
    await expect(subject(named)).rejects.toEqual(causes("metadata"));
  });

  test("a local review is about its own namespace", async () => {
    const { post } = setup();
    const local = (body: object) => post("localsubjectaccessreviews", v1("LocalSubjectAccessReview"), body, "ns");
    const spec = { user: "x", resourceAttributes };
    expect((await local({ metadata: { namespace: "ns" }, spec })).status).toMatchObject({ allowed: true });
    await expect(local({ metadata: { namespace: "other" }, spec })).rejects.toEqual(
      causes("spec.resourceAttributes.namespace"),
    );
    const elsewhere = { user: "x", resourceAttributes: { ...resourceAttributes, namespace: "other" } };
    await expect(local({ metadata: { namespace: "other" }, spec: elsewhere })).rejects.toMatchObject({ code: 400 });
    const path = { user: "x", nonResourceAttributes: { path: "/" } };
    await expect(local({ metadata: { namespace: "ns" }, spec: path })).rejects.toEqual(
      causes("spec.nonResourceAttributes"),
    );
  });

  test("a rules review answers without the sent metadata, and needs a namespace", async () => {
    const { post } = setup();
    const rules = (body: object) => post("selfsubjectrulesreviews", v1("SelfSubjectRulesReview"), body);
    expect(await rules({ metadata: { name: "x" }, spec: { namespace: "ns" } })).toEqual({
      kind: "SelfSubjectRulesReview",
      apiVersion: "authorization.orch.io/v1",
      metadata: { creationTimestamp: null },
      spec: {},
      status: {
        resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
        nonResourceRules: [],
        incomplete: false,
        evaluationError: "half",
      },
    });
    await expect(rules({ spec: {} })).rejects.toMatchObject({ code: 400 });
  });

  test("reviews beyond those of v1.21 need exactly one kind of attributes", async () => {
    const { post } = setup();
    const ask = (action: string, spec: object) => post(action, v1("SubjectAccessReview"), { spec });
    expect((await ask("accessexplanations", { user: "x", resourceAttributes })).status).toMatchObject({
      allowed: false,
    });
    expect((await ask("accessholders", { resourceAttributes })).status).toEqual({});
    await expect(ask("accessholders", {})).rejects.toMatchObject({ code: 400 });
    await expect(ask("accessexplanations", { resourceAttributes })).rejects.toMatchObject({ code: 400 });
  });
});

describe("token reviews", () => {
  const kind: [string, string, string] = ["authentication.orch.io", "v1", "TokenReview"];
  test("a valid token returns its user, for the requested audiences", async () => {
    const { post } = setup();
    const { status } = await post("tokenreviews", kind, { spec: { token: "good" } });
    expect(status).toMatchObject({ authenticated: true, audiences: ["api"] });
    const { user } = status as { user: { username: string; extra: object } };
    expect(user).toMatchObject({ username: "ann", uid: "1", groups: ["dev"] });
    expect(Object.entries(user.extra)).toEqual([["__proto__", ["x"]]]); // a key like any other
    const vault = await post("tokenreviews", kind, { spec: { token: "good", audiences: ["vault"] } });
    expect(vault.status.audiences).toEqual(["vault"]);
  });
  test("an invalid token is an answer that does not repeat it, and an absent one is a bad request (C30 in docs/security-rows.md)", async () => {
    const { post } = setup();
    const { status } = await post("tokenreviews", kind, { spec: { token: "canary" } });
    expect(status).toEqual({ user: {}, error: "invalid bearer token" });
    await expect(post("tokenreviews", kind, { spec: {} })).rejects.toMatchObject({ code: 400 });
  });
  test("the answer replaces the sent status member by member", async () => {
    const { post } = setup();
    const status = { authenticated: true, user: { username: "me" }, audiences: ["mine"], error: "odd" };
    const answer = async (token: string) => (await post("tokenreviews", kind, { spec: { token }, status })).status;
    expect(await answer("canary")).toEqual({
      user: { username: "me" },
      audiences: ["mine"],
      error: "invalid bearer token",
    });
    expect(await answer("good")).toMatchObject({ user: { username: "ann" }, audiences: ["api"], error: "odd" });
  });
});

describe("token requests", () => {
  const kind: [string, string, string] = ["authentication.orch.io", "v1", "TokenRequest"];
  const request = async (spec?: object, name = "sa") =>
    await setup().post("serviceaccounts/token", kind, spec === undefined ? {} : { spec }, "ns", name);

  test("audiences and lifetime have defaults", async () => {
    const answer = await request();
    expect(answer.spec).toEqual({ audiences: ["api"], boundObjectRef: null, expirationSeconds: 3600 });
    expect(answer.status.expirationTimestamp).toBe("2026-06-01T01:00:00Z");
    expect(peekToken(String(answer.status.token))?.claims).toMatchObject({
      aud: ["api"],
      sub: "system:serviceaccount:ns:sa",
      "orch.io": { namespace: "ns", serviceaccount: { name: "sa", uid: "u1" } },
    });
    expect(answer.metadata.managedFields?.[0]?.fieldsV1).toEqual({ "f:spec": { "f:expirationSeconds": {} } });
  });

  test("a lifetime has a minimum and a maximum (B09 and A12 in docs/security-rows.md)", async () => {
    for (const expirationSeconds of [599, 0, -1, 2 ** 32 + 1]) {
      await expect(request({ expirationSeconds }), String(expirationSeconds)).rejects.toMatchObject({
        code: 422,
        details: {
          group: "authentication.orch.io",
          kind: "TokenRequest",
          causes: [{ field: "spec.expirationSeconds" }],
        },
      });
    }
    expect((await request({ expirationSeconds: 600 })).spec.expirationSeconds).toBe(600);
  });

  test("a token can be bound to a pod of the account, or to a Secret", async () => {
    const bound = async (boundObjectRef: object) =>
      peekToken(String((await request({ boundObjectRef })).status.token))?.claims["orch.io"];
    expect(await bound({ kind: "Pod", apiVersion: "v1", name: "p" })).toMatchObject({ pod: { name: "p", uid: "p1" } });
    expect(await bound({ kind: "Secret", name: "s", uid: "s1" })).toMatchObject({ secret: { name: "s", uid: "s1" } });
  });

  const refused: { why: string; ref: object; expected: object }[] = [
    {
      why: "a missing pod",
      ref: { kind: "Pod", name: "none" },
      expected: { code: 404, details: { kind: "pods", name: "none" } },
    },
    { why: "a pod of another account", ref: { kind: "Pod", name: "q" }, expected: { code: 400 } },
    {
      why: "another uid",
      ref: { kind: "Pod", name: "p", uid: "x" },
      expected: { code: 409, details: { kind: "Pod", name: "p" } },
    },
    { why: "another kind", ref: { kind: "Node", name: "n" }, expected: { code: 400 } },
    { why: "a kind of another group", ref: { kind: "Pod", apiVersion: "x/v1", name: "p" }, expected: { code: 400 } },
    { why: "a name that objects inherit", ref: { kind: "constructor", name: "p" }, expected: { code: 400 } },
  ];
  for (const { why, ref, expected } of refused) {
    test(`binding to ${why} is refused`, async () => {
      await expect(request({ boundObjectRef: ref })).rejects.toMatchObject(expected);
    });
  }
  test("an account that is missing has no tokens", async () => {
    await expect(request({}, "none")).rejects.toMatchObject({ code: 404, details: { kind: "serviceaccounts" } });
  });
});
