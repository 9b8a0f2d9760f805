import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Node } from "./core/v1/node.ts";
import { Secret } from "./core/v1/secret.ts";
import { Service } from "./core/v1/service.ts";
import { bindVersions, create, update } from "./life.suite.ts";
import { RuntimeClass } from "./node/v1/runtime-class.ts";
import { CSIStorageCapacity } from "./storage/v1/csi-storage-capacity.ts";
import { CSIStorageCapacity as CSIStorageCapacityBeta } from "./storage/v1beta1/csi-storage-capacity.ts";

const now = (...kinds: unknown[]) => bindVersions(kinds, {}, "1.35").version("v1");
const early = (...kinds: unknown[]) => bindVersions(kinds).version(kinds.length > 1 ? "v1beta1" : "v1");
const old = "failure-domain.beta.orch.io/zone";

describe("at level 1.35, and not before, there are warnings about", () => {
  test("labels of nodes with stable names in the selector of a RuntimeClass", () => {
    const given = { handler: "h", scheduling: { nodeSelector: { [old]: "a", other: "b" } } };
    const made = create(now(RuntimeClass), given);
    expect(made.warnings).toEqual([
      'scheduling.nodeSelector: deprecated since v1.17; use "topology.orch.io/zone" instead',
    ]);
    expect(update(now(RuntimeClass), made.object, made).warnings).toHaveLength(1);
    expect(create(early(RuntimeClass), given).warnings).toEqual([]);
  });

  test("labels of nodes with stable names in the topology of a CSIStorageCapacity", () => {
    const nodeTopology = { matchLabels: { [old]: "a" }, matchExpressions: [{ key: old, operator: "Exists" }] };
    const kinds = [CSIStorageCapacityBeta, CSIStorageCapacity];
    const given = { storageClassName: "s", nodeTopology };
    expect(create(now(...kinds), given).warnings).toEqual([
      `nodeTopology.matchExpressions[0].key: ${old} is deprecated since v1.17; use "topology.orch.io/zone" instead`,
      `nodeTopology.matchLabels.${old}: deprecated since v1.17; use "topology.orch.io/zone" instead`,
    ]);
    expect(create(early(...kinds), given).warnings).toEqual([]);
  });

  test("a name outside that a service does not use, and an old word for its traffic", () => {
    const given = { spec: { ports: [{ port: 80 }], externalName: "a.b", trafficDistribution: "PreferClose" } };
    expect(create(now(Service), given).warnings).toEqual([
      'spec.externalName is ignored when spec.type is not "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ]);
    expect(create(early(Service), given).warnings).toEqual([]);
  });

  test("the external id of a node", () => {
    expect(create(now(Node), { spec: { externalID: "x" } }).warnings).toHaveLength(1);
    expect(create(now(Node), { spec: {} }).warnings).toEqual([]);
    expect(create(early(Node), { spec: { externalID: "x" } }).warnings).toEqual([]);
  });
});

describe("at level 1.35 a TLS secret", () => {
  const certificate = `
-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUEb6MvjpmB4AmuKwqzfyMUsl9WxwwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBeDAgFw0yNjExMTcwNjMwMzRaGA8yMTI2MTAyNDA2MzAzNFow
DDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJVRnvRpyHHa
IlEi3Myrip9YebdhAlGfM1wGJYPXlmesOUmRfOikOUezOq96zhDJn0cMT4kGwnp1
JAtYwvhfw2ujUzBRMB0GA1UdDgQWBBSJXcKxDus7x3rJj40LUnDQkdo3GjAfBgNV
HSMEGDAWgBSJXcKxDus7x3rJj40LUnDQkdo3GjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCICSKMif1b78OGw+hzxXLRtu5ZJCMytJryTTas8Mm/+j5
AiEAjiW0v9PIn5aBIwkGf6a3+R+onl/3GWJEWH059miM2MU=
-----END CERTIFICATE-----
`.trimStart();
  const key = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvEsQLf5Zi4Nevl9X
YHJ6op/Qh/zJs0XwaymqmBXNqoehRANCAASVUZ70achx2iJRItzMq4qfWHm3YQJR
nzNcBiWD15ZnrDlJkXzopDlHszqves4QyZ9HDE+JBsJ6dSQLWML4X8Nr
-----END PRIVATE KEY-----
`.trimStart();
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const otherKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const secret = (crt: string, secretKey: string, type = "orch.io/tls") => ({
    type,
    stringData: { "tls.crt": crt, "tls.key": secretKey },
  });

  test.each([
    { why: "with a key and its certificate", crt: certificate, secretKey: key, warnings: 0 },
    { why: "with a chain", crt: certificate + certificate, secretKey: key, warnings: 0 },
    { why: "with the key of another certificate", crt: certificate, secretKey: otherKey, warnings: 1 },
    { why: "with a key that is none", crt: certificate, secretKey: "x", warnings: 1 },
    { why: "with a certificate that is none", crt: "x", secretKey: key, warnings: 1 },
    { why: "with a certificate that cannot be read", crt: broken, secretKey: key, warnings: 1 },
  ])("$why brings $warnings warnings", ({ crt, secretKey, warnings }) => {
    const made = create(now(Secret), secret(crt, secretKey));
    expect([made.problems, made.warnings]).toEqual([[], Array.from({ length: warnings }, () => expect.any(String))]);
    expect(update(now(Secret), made.object, made).warnings).toHaveLength(warnings);
    expect(create(early(Secret), secret(crt, secretKey)).warnings).toEqual([]);
    expect(create(now(Secret), secret(crt, secretKey, "Opaque")).warnings).toEqual([]);
  });
});
