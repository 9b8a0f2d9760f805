import { describe, expect, test } from "vitest";
import { type ExpectedReview, readVerdict } from "./answer.ts";
import { CallFailure } from "./denial.ts";

const group = "admission.orch.io";
const mutating: ExpectedReview = { type: "mutating", version: "v1", group, uid: "u" };
const validating: ExpectedReview = { ...mutating, type: "validating" };
const old: ExpectedReview = { ...mutating, version: "v1beta1" };
const named = { kind: "AdmissionReview", apiVersion: `${group}/v1` };
const patch = Buffer.from('[{"op":"add","path":"/x","value":1}]').toString("base64");

const read = (body: unknown, expected: ExpectedReview, more: object = {}) => {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return readVerdict({ status: 200, contentType: "application/json", etag: "", bytes, body: "", ...more }, expected);
};
const said = (response: object) => ({ ...named, response: { uid: "u", allowed: true, ...response } });

describe("an answer is accepted", () => {
  test("with every field it may have", async () => {
    const status = { code: 418, message: "no", reason: "Because", details: { name: "n", causes: [{ field: "f" }] } };
    const auditAnnotations = { k: "v", __proto__x: "y" };
    const verdict = await read(
      said({ allowed: false, status, patch, patchType: "JSONPatch", warnings: ["w"], auditAnnotations, more: 1 }),
      mutating,
    );
    expect(verdict).toMatchObject({
      allowed: false,
      status,
      patchType: "JSONPatch",
      warnings: ["w"],
      auditAnnotations,
    });
    expect(JSON.parse(verdict.patch.toString())).toEqual([{ op: "add", path: "/x", value: 1 }]);
  });

  test("in v1beta1 without a name, a uid or a patch type", async () => {
    const verdict = await read({ response: { allowed: true, patch } }, old);
    expect(verdict).toMatchObject({ allowed: true, patchType: "JSONPatch" });
    expect(verdict.patch).not.toHaveLength(0);
  });

  test("in v1beta1 a validating webhook's patch is ignored", async () => {
    const verdict = await read({ response: { allowed: true, patch } }, { ...old, type: "validating" });
    expect(verdict.patch).toHaveLength(0);
  });
});

const failures: [why: string, body: unknown, expected: ExpectedReview, more?: object][] = [
  ["another uid", said({ uid: "other" }), mutating],
  ["no uid", { ...named, response: { allowed: true } }, mutating],
  ["no response", named, mutating],
  ["another kind", { ...said({}), kind: "Pod" }, mutating],
  ["another version", { ...said({}), apiVersion: `${group}/v1beta1` }, mutating],
  ["another version than v1beta1", said({}), old],
  ["another group", { ...said({}), apiVersion: "admission.k8s.io/v1" }, mutating],
  ["no version", { response: { uid: "u", allowed: true } }, mutating],
  ["a text instead of a boolean", said({ allowed: "yes" }), mutating],
  ["a patch without its type", said({ patch }), mutating],
  ["a type without its patch", said({ patchType: "JSONPatch" }), mutating],
  ["an empty type", said({ patch, patchType: "" }), mutating],
  ["a patch that is not base64", said({ patch: "%%%", patchType: "JSONPatch" }), mutating],
  ["a patch of a validating webhook", said({ patch }), validating],
  ["a patch type of a validating webhook", said({ patchType: "JSONPatch" }), validating],
  ["a truncated answer", '{"kind":"Admiss', mutating],
  ["an endlessly nested answer", `${"[".repeat(100_000)}`, mutating],
  ["nothing", "", mutating],
  ["a list", [], mutating],
  ["207", said({}), mutating, { status: 207 }],
  ["302", said({}), mutating, { status: 302 }],
];
describe("an answer is read by its body", () => {
  for (const [status, contentType] of [
    [200, ""],
    [200, "text/plain"],
    [200, "text/html"],
    [201, ""],
    [206, ""],
  ] as const)
    test(`with status ${status} and content type "${contentType}"`, async () => {
      expect(await read(said({}), mutating, { status, contentType })).toMatchObject({ allowed: true });
    });
});

describe("an answer is a failed call", () => {
  for (const [why, body, expected, more] of failures)
    test(why, () => expect(read(body, expected, more)).rejects.toBeInstanceOf(CallFailure));
});
