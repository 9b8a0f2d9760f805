import { describe, expect, test } from "vitest";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import { kmsCacheSizeDefault, kmsTimeoutDefaultMs, parseEncryptionConfiguration } from "./configuration.ts";

const group = "apiserver.config.k8s.io";
const parse = (yaml: string) => parseEncryptionConfiguration(decodeYaml(Buffer.from(yaml)), group);

const head = `apiVersion: ${group}/v1\nkind: EncryptionConfiguration\n`;
const of = (providers: string) => `${head}resources: [{resources: [secrets], providers: ${providers}}]`;

describe("the file of --encryption-provider-config", () => {
  test("is accepted as the documentation of v1.21 shows it", () => {
    const found = parse(`
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources:
    - secrets
    providers:
    - identity: {}
    - aesgcm:
        keys:
        - name: key1
          secret: c2VjcmV0IGlzIHNlY3VyZQ==
        - name: key2
          secret: dGhpcyBpcyBwYXNzd29yZA==
    - aescbc:
        keys:
        - name: key1
          secret: c2VjcmV0IGlzIHNlY3VyZQ==
    - secretbox:
        keys:
        - name: key1
          secret: YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=
    - kms:
        name: myKmsPlugin
        endpoint: unix:///tmp/socketfile.sock
        cachesize: 100
        timeout: 3s
  - resources: [configmaps, deployments.apps]
    providers:
    - kms: {name: other, endpoint: "unix:///@abstract"}
`);
    const key1 = { name: "key1", secret: Buffer.from("secret is secure") };
    expect(found).toEqual([
      {
        resources: ["secrets"],
        providers: [
          { type: "identity" },
          { type: "aesgcm", keys: [key1, { name: "key2", secret: Buffer.from("this is password") }] },
          { type: "aescbc", keys: [key1] },
          { type: "secretbox", keys: [{ name: "key1", secret: Buffer.from("abcdefghijklmnopqrstuvwxyz123456") }] },
          {
            type: "kms",
            kms: { name: "myKmsPlugin", socket: "/tmp/socketfile.sock", cacheSize: 100, timeoutMs: 3_000 },
          },
        ],
      },
      {
        resources: ["configmaps", "deployments.apps"],
        providers: [
          {
            type: "kms",
            kms: {
              name: "other",
              socket: "\0abstract",
              cacheSize: kmsCacheSizeDefault,
              timeoutMs: kmsTimeoutDefaultMs,
            },
          },
        ],
      },
    ]);
  });

  test("is accepted under the wrong kind that the documentation of v1.21 once had", () => {
    const text =
      "apiVersion: v1\nkind: EncryptionConfig\nresources: [{resources: [secrets], providers: [{identity: {}}]}]";
    expect(parse(text)).toEqual([{ resources: ["secrets"], providers: [{ type: "identity" }] }]);
  });

  test.each([16, 24, 32])("accepts AES keys of %i bytes, several of one provider", (bytes) => {
    const key = (name: string) => `{name: ${name}, secret: ${Buffer.alloc(bytes, name).toString("base64")}}`;
    for (const type of ["aescbc", "aesgcm"]) {
      const [found] = parse(of(`[{${type}: {keys: [${key("new")}, ${key("old")}]}}, {identity: {}}]`));
      expect(found?.providers).toMatchObject([
        { type, keys: [{ name: "new" }, { name: "old" }] },
        { type: "identity" },
      ]);
    }
  });

  test("may name a provider and a key twice, and resources of other groups", () => {
    const key = "{name: k, secret: c2VjcmV0IGlzIHNlY3VyZQ==}";
    const text = `${head}resources: [{resources: [secrets, ingresses.networking.k8s.io, "*.*"], providers: [
      {aescbc: {keys: [${key}, ${key}]}}, {aescbc: {keys: [${key}]}}, {identity: {}}, {identity: {}}]}]`;
    expect(parse(text)[0]?.resources).toEqual(["secrets", "ingresses.networking.k8s.io", "*.*"]);
    expect(parse(text)[0]?.providers).toHaveLength(4);
  });

  const key16 = "{name: k, secret: c2VjcmV0IGlzIHNlY3VyZQ==}";
  const refused = [
    { why: "an empty file", text: "", says: /the file is empty/ },
    { why: "a list", text: "[]", says: /must be an object/ },
    {
      why: "another vocabulary's group",
      text: "apiVersion: apiserver.config.orch.io/v1\nkind: EncryptionConfiguration",
      says: /must be apiserver.config.k8s.io\/v1 EncryptionConfiguration/,
    },
    { why: "no resources", text: head, says: /^resources: Required value: at least one resources is required$/ },
    {
      why: "no names and no providers",
      text: `${head}resources: [{}]`,
      says: /^resources\[0\].resources: Required value: at least one .*; resources\[0\].providers: Required value: at least one .*is required$/,
    },
    {
      why: "no providers",
      text: of("[]"),
      says: /^resources\[0\].providers: Required value: at least one resources\[0\].providers is required$/,
    },
    {
      why: "an unknown provider",
      text: of("[{rot13: {}}]"),
      says: /unknown provider "rot13"; provider does not contain any of the expected providers: KMS, AESGCM, /,
    },
    {
      why: "an empty provider",
      text: of("[{}]"),
      says: /providers\[0\]: Invalid value: "REDACTED": provider does not contain any of the expected providers/,
    },
    {
      why: "two providers in one element",
      text: of(`[{identity: {}, aescbc: {keys: [${key16}]}}]`),
      says: /more than one provider specified in a single element/,
    },
    {
      why: "no keys",
      text: of("[{aescbc: {keys: []}}]"),
      says: /aescbc.keys: Required value: at least one resources\[0\].providers\[0\].aescbc.keys is required$/,
    },
    {
      why: "a key without a name",
      text: of("[{aesgcm: {keys: [{secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}}]"),
      says: /keys\[0\].name: Required value: name is a mandatory field for a key$/,
    },
    {
      why: "a key without a secret",
      text: of("[{aesgcm: {keys: [{name: a}]}}]"),
      says: /keys\[0\].secret: Required value: secret is a mandatory field for a key$/,
    },
    {
      why: "not base64",
      text: of("[{aescbc: {keys: [{name: a, secret: '*hunter2*'}]}}]"),
      says: /keys\[0\].secret: Invalid value: "REDACTED": secrets must be base64 encoded$/,
    },
    {
      why: "an AES key of 15 bytes",
      text: of("[{aescbc: {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3Vy}]}}]"),
      says: /"REDACTED": secret is not of the expected length, got 15, expected one of \[16 24 32\]$/,
    },
    {
      why: "a secretbox key of 16 bytes",
      text: of(`[{secretbox: {keys: [${key16}]}}]`),
      says: /got 16, expected one of \[32\]$/,
    },
    {
      why: "an unknown field of a key",
      text: of("[{aescbc: {keys: [{name: a, secert: x}]}}]"),
      says: /unknown field "secert"/,
    },
    {
      why: "URL-safe base64",
      text: of("[{aescbc: {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3Vy_-==}]}}]"),
      says: /must be base64 encoded$/,
    },
    {
      why: "base64 without padding",
      text: of("[{aescbc: {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3VyZQ}]}}]"),
      says: /must be base64 encoded$/,
    },
    { why: "an empty list of keys", text: of("[{aesgcm: {}}]"), says: /aesgcm.keys: Required value: at least one/ },
    {
      why: "kms without a name",
      text: of("[{kms: {endpoint: 'unix:///s'}}]"),
      says: /name is a mandatory field for a/,
    },
    {
      why: "a duration without a unit",
      text: of("[{kms: {name: a, endpoint: 'unix:///s', timeout: 3}}]"),
      says: /timeout should/,
    },
    { why: "kms without an endpoint", text: of("[{kms: {name: a}}]"), says: /endpoint is a mandatory field for a kms/ },
    {
      why: "kms over TCP",
      text: of("[{kms: {name: a, endpoint: 'tcp://127.0.0.1:1'}}]"),
      says: /unsupported scheme "tcp" for KMS provider, only unix is supported/,
    },
    {
      why: "a cache size of zero",
      text: of("[{kms: {name: a, endpoint: 'unix:///s', cachesize: 0}}]"),
      says: /cachesize should be a positive value, or negative to disable/,
    },
    {
      why: "a timeout of zero",
      text: of("[{kms: {name: a, endpoint: 'unix:///s', timeout: 0s}}]"),
      says: /timeout should be a positive value/,
    },
    {
      why: "a later version of the protocol",
      text: of("[{kms: {apiVersion: v2, name: a, endpoint: 'unix:///s'}}]"),
      says: /unknown field "apiVersion"/,
    },
  ];
  for (const { why, text, says } of refused) {
    test(`is refused: ${why}`, () => {
      expect(() => parse(text)).toThrow(says);
      try {
        parse(text);
      } catch (error) {
        expect(String(error)).not.toMatch(/hunter2|c2Vjc/);
      }
    });
  }
});
