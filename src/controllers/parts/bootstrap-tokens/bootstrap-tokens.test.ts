import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { levelDefault } from "../../../machinery/schema/levels.ts";
import { kubernetes } from "../../../vocabulary/kubernetes.ts";
import { orch } from "../../../vocabulary/orch.ts";
import {
  clusterInfoGraceMs,
  detachedSignature,
  planClusterInfo,
  signClusterInfo,
  signingKey,
} from "../../bootstrapsigner/reconcile.ts";
import { bootstrapSigner } from "../../bootstrapsigner/wire.ts";
import { carriedOut } from "../../plan.suite.ts";
import { withControllers } from "../../scenario.suite.ts";
import { tokenCleaner } from "../../tokencleaner/wire.ts";
import { signingToken } from "./secrets.ts";

const type = "bootstrap.orch.io/token";
const now = Date.parse("2026-01-01T00:00:00Z");
const base64 = (text: string) => Buffer.from(text).toString("base64");
function tokenSecret(data: Record<string, string> = {}, name = "bootstrap-token-abcdef"): Secret {
  const all = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-signing": "true", ...data };
  const encoded = Object.fromEntries(Object.entries(all).map(([key, text]) => [key, base64(text)]));
  return { metadata: { namespace: "orch-system", name }, type, data: encoded };
}

const cases = [
  { why: "a token that may sign", secret: tokenSecret(), signs: true },
  { why: "another type", secret: { ...tokenSecret(), type: "Opaque" }, signs: false },
  { why: "an id that differs from the name", secret: tokenSecret({}, "bootstrap-token-zzzzzz"), signs: false },
  { why: "without the usage", secret: tokenSecret({ "usage-bootstrap-signing": "false" }), signs: false },
  { why: "without a secret", secret: tokenSecret({ "token-secret": "" }), signs: false },
  { why: "a secret that is too short", secret: tokenSecret({ "token-secret": "0123456789abcde" }), signs: false },
  { why: "a secret that is too long", secret: tokenSecret({ "token-secret": "0123456789abcdef0" }), signs: false },
  { why: "a secret with other letters", secret: tokenSecret({ "token-secret": "0123456789ABCDEF" }), signs: false },
  { why: "not expired yet", secret: tokenSecret({ expiration: "2026-01-01T00:00:01Z" }), signs: true },
  { why: "expired", secret: tokenSecret({ expiration: "2025-12-31T23:59:59Z" }), signs: false },
  { why: "an unreadable expiration counts as expired", secret: tokenSecret({ expiration: "tomorrow" }), signs: false },
];
for (const { why, secret, signs } of cases) {
  test(`signing token: ${why}`, () => {
    expect(signingToken(secret, type, now)).toEqual(signs ? { id: "abcdef", secret: "0123456789abcdef" } : undefined);
  });
}

const key = (id: string) => `${id}.0123456789abcdef`;

test("signatures of unknown tokens are removed, valid ones stay, other keys are unchanged", () => {
  const token = { id: "abcdef", key: key("abcdef") };
  const right = detachedSignature("text", token);
  const signed = { kubeconfig: "text", note: "x", "jws-kubeconfig-abcdef": right };
  expect(signClusterInfo({ kubeconfig: "text", note: "x", "jws-kubeconfig-zzzzzz": "old" }, [token])).toEqual(signed);
  expect(signClusterInfo(signed, [token])).toBeUndefined();
  expect(signClusterInfo({ ...signed, "jws-kubeconfig-abcdef": "forged" }, [token])).toEqual(signed);
  expect(signClusterInfo({ note: "nothing to sign" }, [token])).toBeUndefined();
});

test("the key is the whole token; with Kubernetes names and since 1.22 it is the secret alone", () => {
  const token = { id: "abcdef", secret: "0123456789abcdef" };
  expect(signingKey(token, orch, false)).toEqual({ id: "abcdef", key: "abcdef.0123456789abcdef" });
  for (const alone of [signingKey(token, kubernetes, false), signingKey(token, orch, true)])
    expect(alone).toEqual({ id: "abcdef", key: "0123456789abcdef" });
});

describe("a missing cluster-info", () => {
  const given = { namespace: "orch-public", clusterInfo: "text", tokens: [{ id: "abcdef", key: "k" }] };
  test("is created with its signatures, once others have had time to write their own", async () => {
    const input = { ...given, known: undefined };
    expect(await carriedOut(planClusterInfo({ ...input, missingMs: 0 }))).toMatchObject({
      log: [`again in ${clusterInfoGraceMs}`],
    });
    const { sent } = await carriedOut(planClusterInfo({ ...input, missingMs: clusterInfoGraceMs }));
    const data = { kubeconfig: "text", "jws-kubeconfig-abcdef": detachedSignature("text", { id: "abcdef", key: "k" }) };
    expect(sent).toEqual([{ metadata: { namespace: "orch-public", name: "cluster-info" }, data }]);
  });
  test("is not created without a token that signs, nor where the address of the server is not known", () => {
    const input = { ...given, known: undefined, missingMs: clusterInfoGraceMs };
    expect(planClusterInfo({ ...input, tokens: [] })).toBeUndefined();
    expect(planClusterInfo({ ...input, clusterInfo: undefined })).toBeUndefined();
  });
});

test("a token signs cluster-info until it expires, and is then deleted", () =>
  withControllers([bootstrapSigner, tokenCleaner], async ({ client, create, until, untilGone }) => {
    const info = { namespace: "orch-public", name: "cluster-info" };
    await create(ConfigMap, { metadata: info, data: { kubeconfig: "text" } });
    await create(Secret, tokenSecret());
    const token = { id: "abcdef", secret: "0123456789abcdef" };
    const signature = detachedSignature("text", signingKey(token, orch, levelDefault !== "1.21"));
    await until(ConfigMap, info, ({ data }) => data?.["jws-kubeconfig-abcdef"] === signature);
    const ref = { namespace: "orch-system", name: "bootstrap-token-abcdef" };
    await client.of(Secret).patch(ref, { data: { expiration: base64("2020-01-01T00:00:00Z") } });
    await untilGone(Secret, ref);
    await until(ConfigMap, info, ({ data }) => data?.["jws-kubeconfig-abcdef"] === undefined);
  }));
