import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { parseClientUsers, readClientUsers } from "./client-users.ts";

const user = (token: string) => ({ user: { token } });
const users = [
  { name: "hook.shop.svc", ...user("exact") },
  { name: "other.shop.svc:8443", ...user("port") },
  { name: "*.shop.svc", ...user("shop") },
  { name: "*.svc", ...user("svc") },
];
const tokenFor = (configuration: object, host: string) =>
  parseClientUsers(configuration, () => "")(host).headers["authorization"]?.replace("Bearer ", "");

describe("the user for a webhook is", () => {
  const cases: [why: string, host: string, token: string | undefined][] = [
    ["the one of its host", "hook.shop.svc:443", "exact"],
    ["not the one of its host on another port", "hook.shop.svc:8443", undefined],
    ["the one of its host and port", "other.shop.svc:8443", "port"],
    ["the one of its domain", "more.shop.svc:443", "shop"],
    ["the one of the next domain", "a.bank.svc:443", "svc"],
    ["none", "example.com:443", undefined],
  ];
  for (const [why, host, token] of cases) test(`${why}: ${host}`, () => expect(tokenFor({ users }, host)).toBe(token));

  test("the user for all other hosts, else that of the current context", () => {
    const contexts = [{ name: "c", context: { user: "u" } }];
    const given = { users: [{ name: "u", ...user("context") }], contexts, "current-context": "c" };
    expect(tokenFor(given, "example.com:443")).toBe("context");
    expect(tokenFor({ ...given, users: [...given.users, { name: "*", ...user("star") }] }, "x:443")).toBe("star");
  });
});

test("users that are not a list are refused", () => {
  expect(() => parseClientUsers({ users: "u" }, () => "")).toThrow(/users of the client configuration must be a list/);
});

describe("the configuration of the plugin", () => {
  const versions = [
    { apiVersion: "apiserver.config.orch.io/v1", kind: "WebhookAdmissionConfiguration" },
    { apiVersion: "apiserver.config.orch.io/v1alpha1", kind: "WebhookAdmission" },
  ];
  for (const named of versions) {
    test(`names the file, relative to its own: ${named.apiVersion}`, () => {
      const { context } = createWorld([], "orch", {
        configuration: { MutatingAdmissionWebhook: { ...named, kubeConfigFile: "hooks.conf" } },
        files: {
          "/etc/hooks.conf": "users: [{name: '*', user: {client-certificate: c.pem, client-key: k.pem}}]",
          "/etc/c.pem": "certificate",
          "/etc/k.pem": "key",
        },
      });
      const found = readClientUsers(context, "MutatingAdmissionWebhook")("x:443");
      expect(found).toEqual({ cert: "certificate", key: "key", headers: {} });
      expect(readClientUsers(context, "ValidatingAdmissionWebhook")("x:443")).toEqual({ headers: {} });
    });
  }

  test("is refused with its path when it is invalid", () => {
    const { context } = createWorld([], "orch", {
      configuration: { MutatingAdmissionWebhook: { kubeConfigFile: "x" } },
    });
    expect(() => readClientUsers(context, "MutatingAdmissionWebhook")).toThrow(/admission.yaml: apiVersion and kind/);
  });
});
