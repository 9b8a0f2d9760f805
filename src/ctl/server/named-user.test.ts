import { describe, expect, test } from "vitest";
import { makeCertificate } from "../../base/certificate.suite.ts";
import type { ClientAccess } from "../../client/config/access.ts";
import { namedUser } from "./named-user.ts";

const access: ClientAccess = {
  server: "https://127.0.0.1:6443",
  namespace: "default",
  tls: {},
  token: undefined,
  basic: undefined,
  exec: undefined,
  impersonate: undefined,
};
const certificate = makeCertificate({
  subject: [
    ["2.5.4.10", "developers"],
    ["2.5.4.10", "testers"],
    ["2.5.4.3", "jane"],
  ],
}).pem;
const tokenOf = (claims: object) => () => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;

describe("the user whom credentials name", () => {
  test("is the subject of a client certificate", () => {
    expect(namedUser({ ...access, tls: { cert: certificate } })).toEqual({
      name: "jane",
      groups: ["developers", "testers", "system:authenticated"],
    });
  });

  test("is the one who is impersonated, whatever the credentials are", () => {
    const impersonate = { user: "bob", groups: ["guests"], extra: {} };
    expect(namedUser({ ...access, tls: { cert: certificate }, impersonate })).toEqual({
      name: "bob",
      groups: ["guests"],
    });
  });

  test("is the account of a service account's token", () => {
    const name = "system:serviceaccount:shop:web";
    expect(namedUser({ ...access, token: tokenOf({ sub: name }) })).toEqual({ name, groups: [] });
  });

  test("is nobody if the token is opaque, or its issuer is not the server", () => {
    for (const token of [() => "opaque", () => "a.b.c", tokenOf({ sub: "4711" }), tokenOf([1])])
      expect(namedUser({ ...access, token, tls: { cert: certificate } })).toBeUndefined();
    expect(namedUser(access)).toBeUndefined();
  });

  test("is the name of a password", () => {
    expect(namedUser({ ...access, basic: { username: "ann", password: "p" } })).toEqual({ name: "ann", groups: [] });
  });
});
