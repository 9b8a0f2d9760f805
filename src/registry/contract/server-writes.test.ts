import { expect, test } from "vitest";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { context } from "../fixture.suite.ts";
import { serverUser, serverWrites } from "./server-writes.ts";

test("the server writes as its own user, is admitted like a client, and owns the fields it writes", () => {
  expect(serverWrites("bootstrap objects", kubernetes)).toMatchObject({
    user: serverUser,
    dryRun: false,
    fieldManager: "kube-apiserver",
    skipAdmission: false,
    skipRules: false,
  });
});

test("a write within a request keeps the caller and the dry run of the request", () => {
  const request = context({ dryRun: true, fieldManager: "somebody" });
  const write = serverWrites("a binding", orch, request);
  expect(write).toMatchObject({ user: request.user, dryRun: true, fieldManager: "", skipAdmission: true });
  expect(serverWrites("an eviction", orch, request)).toMatchObject({ skipAdmission: true, skipRules: false });
});
