import { describe, expect, test } from "vitest";
import { ConfigMap, dataBytesMax } from "./config-map.ts";
import { inspect } from "./core.suite.ts";
import { Endpoints } from "./endpoints.ts";
import { Namespace } from "./namespace.ts";
import { Secret } from "./secret.ts";
import { ServiceAccount } from "./service-account.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a config map", () => {
  const { problems, problemsOfUpdate, cells } = inspect(ConfigMap);
  const half = dataBytesMax / 2;
  const cases = [
    { why: "may be empty", given: {}, expected: [] },
    { why: "must have keys that are valid file names", given: { data: { "a.b_c-D": "" } }, expected: [] },
    {
      why: "must not have keys that are not file names",
      given: { data: { "..": "x", "a/b": "x" }, binaryData: { "": "" } },
      expected: ["FieldValueInvalid binaryData[]", "FieldValueInvalid data[..]", "FieldValueInvalid data[a/b]"],
    },
    {
      why: "must not have a key in both data and binaryData",
      given: { data: { a: "x" }, binaryData: { a: base64("x") } },
      expected: ["FieldValueInvalid data[a]"],
    },
    {
      why: "may have the maximum size",
      given: { data: { a: "é".repeat(half / 2) }, binaryData: { b: base64("x".repeat(half)) } },
      expected: [],
    },
    {
      why: "must not exceed the maximum size",
      given: { data: { a: "é".repeat(half / 2) }, binaryData: { b: base64("x".repeat(half + 1)) } },
      expected: ["FieldValueTooLong []"],
    },
  ];
  for (const { why, given, expected } of cases) {
    test(why, () => {
      expect(problems(given)).toEqual(expected);
      expect(problemsOfUpdate(given, {})).toEqual(expected);
    });
  }

  test("that is immutable may change its metadata only", () => {
    const old = { data: { a: "x" }, immutable: true };
    expect(problemsOfUpdate({ ...old, metadata: { name: "x", labels: { a: "b" } } }, old)).toEqual([]);
    expect(problemsOfUpdate({ data: { a: "y" }, binaryData: { b: "" } }, old)).toEqual([
      "FieldValueForbidden binaryData",
      "FieldValueForbidden data",
      "FieldValueForbidden immutable",
    ]);
    expect(problemsOfUpdate(old, { data: { a: "y" } })).toEqual([]);
  });

  test("counts its keys", () => {
    expect(cells({ data: { a: "" }, binaryData: { b: "", c: "" } })[1]).toBe(3);
  });
});

describe("a secret", () => {
  const { problems, problemsOfUpdate, make, cells } = inspect(Secret);
  const docker = ".dockerconfigjson";
  const cases = [
    { why: "may be empty", given: {}, expected: [] },
    { why: "may have a custom type", given: { type: "example.com/mine" }, expected: [] },
    {
      why: "must have keys that are valid file names",
      given: { stringData: { "a/b": "" } },
      expected: ["FieldValueInvalid data[a/b]"],
    },
    { why: "may have the maximum size", given: { data: { a: base64("x".repeat(dataBytesMax)) } }, expected: [] },
    {
      why: "must not exceed the maximum size",
      given: { data: { a: base64("x".repeat(dataBytesMax)), b: base64("x") } },
      expected: ["FieldValueTooLong data"],
    },
    {
      why: "of a service account must name the account",
      given: { type: "orch.io/service-account-token" },
      expected: ["FieldValueRequired metadata.annotations[orch.io/service-account.name]"],
    },
    {
      why: "of a service account may name it",
      given: {
        type: "orch.io/service-account-token",
        metadata: { name: "x", annotations: { "orch.io/service-account.name": "a" } },
      },
      expected: [],
    },
    {
      why: "of the type dockercfg must have the key",
      given: { type: "orch.io/dockercfg" },
      expected: ["FieldValueRequired data[.dockercfg]"],
    },
    {
      why: "of the type dockerconfigjson must have the key",
      given: { type: "orch.io/dockerconfigjson" },
      expected: [`FieldValueRequired data[${docker}]`],
    },
    {
      why: "of the type dockerconfigjson must contain JSON",
      given: { type: "orch.io/dockerconfigjson", stringData: { [docker]: "{" } },
      expected: [`FieldValueInvalid data[${docker}]`],
    },
    {
      why: "of the type dockerconfigjson must contain a JSON object",
      given: { type: "orch.io/dockerconfigjson", stringData: { [docker]: "[]" } },
      expected: [`FieldValueInvalid data[${docker}]`],
    },
    {
      why: "of the type dockerconfigjson may be valid",
      given: { type: "orch.io/dockerconfigjson", stringData: { [docker]: '{"auths":{}}' } },
      expected: [],
    },
    {
      why: "of the type basic-auth must have a user name or a password",
      given: { type: "orch.io/basic-auth" },
      expected: ["FieldValueRequired data[%s][password]", "FieldValueRequired data[%s][username]"],
    },
    {
      why: "of the type basic-auth needs no user name",
      given: { type: "orch.io/basic-auth", stringData: { password: "p" } },
      expected: [],
    },
    {
      why: "of the type ssh-auth must have a key",
      given: { type: "orch.io/ssh-auth", stringData: { "ssh-privatekey": "" } },
      expected: ["FieldValueRequired data[%s][ssh-privatekey]"],
    },
    {
      why: "of the type tls must have a key and a certificate",
      given: { type: "orch.io/tls" },
      expected: ["FieldValueRequired data[tls.crt]", "FieldValueRequired data[tls.key]"],
    },
    {
      why: "of the type tls may have empty values",
      given: { type: "orch.io/tls", stringData: { "tls.crt": "", "tls.key": "" } },
      expected: [],
    },
  ];
  for (const { why, given, expected } of cases) test(why, () => expect(problems(given)).toEqual(expected));

  test("does not repeat its data in errors", () => {
    const { kind } = inspect(Secret);
    const secret = make({ type: "orch.io/dockercfg", stringData: { ".dockercfg": "hunter2" } });
    const errors = kind.strategy.validate?.(secret, kind.family.environment) ?? [];
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  test("stores stringData as data, with precedence, whatever the key", () => {
    const stringData = JSON.parse('{"a":"new","__proto__":"x"}');
    const secret = make({ data: { a: base64("old"), b: base64("b") }, stringData });
    expect(secret).not.toHaveProperty("stringData");
    expect(secret["type"]).toBe("Opaque");
    expect(Object.entries(secret["data"] as object)).toEqual([
      ["a", base64("new")],
      ["b", base64("b")],
      ["__proto__", base64("x")],
    ]);
  });

  test("must not change its type, nor its data if it is immutable", () => {
    expect(problemsOfUpdate({ type: "a" }, { type: "b" })).toEqual(["FieldValueInvalid type"]);
    expect(problemsOfUpdate({ stringData: { a: "y" } }, { stringData: { a: "x" }, immutable: true })).toEqual([
      "FieldValueForbidden data",
      "FieldValueForbidden immutable",
    ]);
  });

  test("shows its type and counts its keys", () => {
    expect(cells({ stringData: { a: "", b: "" } }).slice(1, 3)).toEqual(["Opaque", 2]);
  });
});

describe("a service account", () => {
  const { make, update, problems, cells } = inspect(ServiceAccount);
  const secrets = [{ name: "a", namespace: "other", kind: "Secret" }, { kind: "Secret" }];

  test("keeps only the names of its secrets", () => {
    expect(make({ secrets })["secrets"]).toEqual([{ name: "a" }, {}]);
    expect(update({ secrets }, {})["secrets"]).toEqual([{ name: "a" }, {}]);
    expect(problems({ secrets })).toEqual([]);
  });

  test("counts its secrets", () => {
    expect([cells({ secrets })[1], cells({})[1]]).toEqual([2, 0]);
  });
});

describe("a namespace", () => {
  const { kind, make, update, problems, problemsOfStatus, cells } = inspect(Namespace);

  test("is created active, with a finalizer and a label with its name", () => {
    expect(make({ status: { phase: "Terminating" } })).toMatchObject({
      metadata: { labels: { "orch.io/metadata.name": "x" } },
      spec: { finalizers: ["orch"] },
      status: { phase: "Active" },
    });
    expect(make({ spec: { finalizers: ["example.com/a", "orch"] } })["spec"]).toEqual({
      finalizers: ["example.com/a", "orch"],
    });
  });

  test("cannot lose its finalizers or its label by an update", () => {
    const next = { metadata: { name: "x", labels: { "orch.io/metadata.name": "y" } }, spec: {} };
    expect(update(next, {})).toMatchObject({
      metadata: { labels: { "orch.io/metadata.name": "x" } },
      spec: { finalizers: ["orch"] },
    });
  });

  const cases = [
    { why: "may have qualified finalizers", finalizers: ["example.com/a"], valid: true },
    {
      why: "may have the finalizers of the garbage collector",
      finalizers: ["orphan", "foregroundDeletion"],
      valid: true,
    },
    { why: "must not have unqualified finalizers", finalizers: ["mine"], valid: false },
    { why: "must not have invalid finalizers", finalizers: ["a b/c"], valid: false },
  ];
  for (const { why, finalizers, valid } of cases) {
    test(why, () => {
      expect(problems({ spec: { finalizers } })).toEqual(valid ? [] : ["FieldValueInvalid spec.finalizers"]);
      const path = kind.subresources.get("finalize");
      const next = { metadata: { name: "x" }, spec: { finalizers } };
      const errors = path?.validate?.(next, make({}), kind.family.environment) ?? [];
      const found = errors.map(({ reason, field }) => `${reason} ${field}`);
      expect(found).toEqual(valid ? [] : ["FieldValueInvalid spec.finalizers[0]"]);
    });
  }

  const leaving = { name: "x", deletionTimestamp: "2021-06-01T00:00:00Z" };
  const phases = [
    { why: "is active", given: { status: { phase: "Active" } }, expected: [] },
    { why: "is active without a phase", given: { status: {} }, expected: [] },
    {
      why: "must not be Terminating before it is deleted",
      given: { status: { phase: "Terminating" } },
      expected: ["FieldValueInvalid status.Phase"],
    },
    {
      why: "is Terminating when it is deleted",
      given: { metadata: leaving, status: { phase: "Terminating" } },
      expected: [],
    },
    {
      why: "must not become Active again",
      given: { metadata: leaving, status: { phase: "Active" } },
      expected: ["FieldValueInvalid status.Phase"],
    },
  ];
  for (const { why, given, expected } of phases) test(why, () => expect(problemsOfStatus(given, {})).toEqual(expected));

  test("terminates, and is kept while it has finalizers", () => {
    const namespace = make({});
    kind.strategy.beginDeletion?.(namespace, kind.family.environment);
    expect(namespace["status"]).toEqual({ phase: "Terminating" });
    expect(kind.strategy.keepTerminating?.(namespace)).toBe(true);
    expect(kind.strategy.keepTerminating?.({ ...namespace, spec: {} })).toBe(false);
  });

  test("shows its phase", () => expect(cells({ status: { phase: "Active" } })[1]).toBe("Active"));
});

describe("endpoints", () => {
  const { problems, problemsOfUpdate, make, cells } = inspect(Endpoints);
  const addresses = [{ ip: "10.0.0.1" }];
  const at = "subsets[0]";
  const cases = [
    { why: "may be none", subsets: [], expected: [] },
    { why: "must have addresses", subsets: [{ ports: [{ port: 1 }] }], expected: [`FieldValueRequired ${at}`] },
    { why: "may all be not ready, without ports", subsets: [{ notReadyAddresses: addresses }], expected: [] },
    {
      why: "must have valid host and node names",
      subsets: [{ addresses: [{ ip: "10.0.0.1", hostname: "a.b", nodeName: "A" }] }],
      expected: [`FieldValueInvalid ${at}.addresses[0].hostname`, `FieldValueInvalid ${at}.addresses[0].nodeName`],
    },
    {
      why: "must have valid ports",
      subsets: [{ addresses, ports: [{ port: 0, protocol: "ICMP", appProtocol: "a b" }] }],
      expected: [
        `FieldValueInvalid ${at}.ports[0].appProtocol`,
        `FieldValueInvalid ${at}.ports[0].port`,
        `FieldValueNotSupported ${at}.ports[0].protocol`,
      ],
    },
    {
      why: "must have names for several ports",
      subsets: [{ addresses, ports: [{ port: 1 }, { port: 2, name: "B" }] }],
      expected: [`FieldValueInvalid ${at}.ports[1].name`, `FieldValueRequired ${at}.ports[0].name`],
    },
  ];
  for (const { why, subsets, expected } of cases) {
    test(why, () => {
      expect(problems({ subsets })).toEqual(expected);
      expect(problemsOfUpdate({ subsets }, {})).toEqual(expected);
    });
  }

  const special = [
    "127.0.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "224.0.0.1",
    "::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "host",
  ];
  for (const ip of special) {
    test(`cannot be at ${ip}, ready or not, from the start or later`, () => {
      const subsets = [{ addresses: [{ ip }], notReadyAddresses: [{ ip }] }];
      const expected = [`FieldValueInvalid ${at}.addresses[0].ip`, `FieldValueInvalid ${at}.notReadyAddresses[0].ip`];
      expect([problems({ subsets }), problemsOfUpdate({ subsets }, {})]).toEqual([expected, expected]);
    });
  }

  test("default to TCP", () => {
    expect(make({ subsets: [{ addresses, ports: [{ port: 1 }] }] })["subsets"]).toMatchObject([
      { ports: [{ protocol: "TCP" }] },
    ]);
  });

  test("show the first three", () => {
    const ips = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((ip) => ({ ip }));
    const text = (...subsets: object[]) => cells({ subsets })[1];
    expect(text()).toBe("<none>");
    expect(text({ addresses: [{ ip: "2001:db8::1" }], ports: [{ port: 1 }] })).toBe("[2001:db8::1]:1");
    expect(text({ addresses: ips })).toBe("10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...");
    const ports = [{ port: 1 }, { port: 2 }];
    expect(text({ addresses: ips.slice(0, 2), ports })).toBe("10.0.0.1:1,10.0.0.2:1,10.0.0.1:2 + 1 more...");
    expect(text({ addresses: ips.slice(0, 1), ports }, { addresses: ips, ports })).toBe(
      "10.0.0.1:1,10.0.0.1:2,10.0.0.1:1 + 7 more...",
    );
  });

  test("show the first three and the number of the rest, without listing millions of combinations", () => {
    const count = 20_000;
    const ips = Array.from({ length: count }, () => ({ ip: "10.0.0.1" }));
    const ports = Array.from({ length: count }, (_, at) => ({ port: at + 1 }));
    const more = count * count - 3;
    expect(cells({ subsets: [{ addresses: ips, ports }] })[1]).toBe(
      `10.0.0.1:1,10.0.0.1:1,10.0.0.1:1 + ${more} more...`,
    );
  });
});
