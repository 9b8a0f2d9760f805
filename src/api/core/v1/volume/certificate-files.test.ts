import { describe, expect, test } from "vitest";
import { bindVersions, create } from "../../../life.suite.ts";
import { pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

const kind = bindVersions([Pod], {}, "1.37").version("v1");
const certificate = { signerName: "example.com/x", keyType: "ED25519", keyPath: "key" };

describe("files of certificates in a volume at level 1.37", () => {
  const at = "spec.volumes[0].projected.sources[0]";
  const bundle = `${at}.clusterTrustBundle`;
  const request = `${at}.podCertificate`;
  const cases: { why: string; sources: object[]; expected: string[] }[] = [
    {
      why: "a bundle by its name, and others of a signer",
      sources: [
        { clusterTrustBundle: { name: "example.com:x:roots", path: "a" } },
        { clusterTrustBundle: { signerName: "example.com/x", labelSelector: {}, path: "b" } },
      ],
      expected: [],
    },
    {
      why: "not without a name, and with a path",
      sources: [{ clusterTrustBundle: { path: "" } }],
      expected: [`Required ${bundle}`, `Required ${bundle}.path`],
    },
    {
      why: "not by both",
      sources: [{ clusterTrustBundle: { name: "a", signerName: "b", path: "a" } }],
      expected: [`Invalid ${bundle}`],
    },
    {
      why: "a name has no selector, and is that of a bundle",
      sources: [{ clusterTrustBundle: { name: "x:", labelSelector: {}, path: "../a" } }],
      expected: [`Invalid ${bundle}.labelSelector`, `Invalid ${bundle}.name`, `Invalid ${bundle}.path`],
    },
    {
      why: "a signer and its selector are valid",
      sources: [{ clusterTrustBundle: { signerName: "x", labelSelector: { matchLabels: { "a b": "c" } }, path: "a" } }],
      expected: [`Invalid ${bundle}.labelSelector.matchLabels`, `Invalid ${bundle}.signerName`],
    },
    {
      why: "a certificate and its key",
      sources: [{ podCertificate: { ...certificate, certificateChainPath: "chain", maxExpirationSeconds: 3_600 } }],
      expected: [],
    },
    {
      why: "of a signer that is named, for a kind of key, somewhere",
      sources: [{ podCertificate: {} }],
      expected: [`NotSupported ${request}.keyType`, `Required ${request}`, `Required ${request}.signerName`],
    },
    {
      why: "lasts a day if the signer is of the system",
      sources: [{ podCertificate: { ...certificate, signerName: "orch.io/x", maxExpirationSeconds: 86_401 } }],
      expected: [`Invalid ${request}.maxExpirationSeconds`],
    },
    {
      why: "has annotations with a domain, in a path of the volume",
      sources: [{ podCertificate: { ...certificate, keyPath: "/key", userAnnotations: { a: "b" } } }],
      expected: [`Invalid ${request}.keyPath`, `Invalid ${request}.userAnnotations`],
    },
    {
      why: "no two have one path",
      sources: [{ clusterTrustBundle: { name: "a", path: "key" } }, { podCertificate: certificate }],
      expected: ["Invalid spec.volumes[0].projected"],
    },
  ];
  for (const { why, sources, expected } of cases)
    test(why, () => {
      const volumes = [{ name: "v", projected: { sources } }];
      expect(create(kind, pod({ volumes })).problems).toEqual(expected);
    });
});
