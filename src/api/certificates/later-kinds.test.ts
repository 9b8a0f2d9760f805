import { describe, expect, test } from "vitest";
import { makeCertificate, makeRequest, type NameSpec } from "../../base/certificate.suite.ts";
import { bindVersions, create, update } from "../life.suite.ts";
import { ClusterTrustBundle } from "./v1/cluster-trust-bundle.ts";
import { PodCertificateRequest } from "./v1/pod-certificate-request.ts";

const bound = bindVersions([ClusterTrustBundle, PodCertificateRequest], {}, "1.37");
const kindOf = (name: string) => {
  const found = bound.catalog.byKind("certificates.orch.io", "v1", name);
  if (found === undefined) throw new Error(`${name} is not served`);
  return found;
};
const subject: NameSpec = [["2.5.4.3", "root"]];

describe("a trust bundle", () => {
  const kind = kindOf("ClusterTrustBundle");
  const root = makeCertificate({ subject, authority: true }).pem;
  const leaf = makeCertificate({ subject }).pem;
  const signerName = "example.com/signer";
  const cases = [
    {
      why: "has at least one certificate",
      name: "x",
      spec: { trustBundle: "" },
      problems: ["Invalid spec.trustBundle"],
    },
    { why: "may have one authority", name: "x", spec: { trustBundle: root }, problems: [] },
    { why: "has each once", name: "x", spec: { trustBundle: root + root }, problems: ["Invalid spec.trustBundle"] },
    { why: "has authorities alone", name: "x", spec: { trustBundle: leaf }, problems: ["Invalid spec.trustBundle"] },
    {
      why: "without a signer has no colon in its name",
      name: "a:b",
      spec: { trustBundle: root },
      problems: ["Invalid metadata.name"],
    },
    {
      why: "of a signer is named after it",
      name: "example.com:signer:x",
      spec: { signerName, trustBundle: root },
      problems: [],
    },
    {
      why: "of a signer has no other name",
      name: "x",
      spec: { signerName, trustBundle: root },
      problems: ["Invalid metadata.name"],
    },
  ];
  for (const { why, name, spec, problems } of cases)
    test(why, () => {
      expect(create(kind, { metadata: { name }, spec }).problems).toEqual(problems);
    });

  test("keeps its signer", () => {
    const old = create(kind, { metadata: { name: "x" }, spec: { trustBundle: root } });
    const next = { metadata: { name: "x", resourceVersion: "1" }, spec: { signerName, trustBundle: root } };
    expect(update(kind, next, old).problems).toEqual(["Invalid spec.signerName"]);
  });
});

describe("a certificate request of a pod", () => {
  const kind = kindOf("PodCertificateRequest");
  const spec = {
    signerName: "example.com/signer",
    podName: "p",
    podUID: "1",
    serviceAccountName: "default",
    serviceAccountUID: "2",
    nodeName: "n",
    nodeUID: "3",
    stubPKCS10Request: makeRequest(subject).der.toString("base64"),
  };

  test("is for a day unless it says otherwise, and never for more than 91", () => {
    const { object, problems } = create(kind, { spec });
    expect([problems, object["spec"]]).toEqual([[], expect.objectContaining({ maxExpirationSeconds: 86_400 })]);
    const long = { ...spec, maxExpirationSeconds: 92 * 86_400 };
    expect(create(kind, { spec: long }).problems).toEqual(["Invalid spec.maxExpirationSeconds"]);
  });

  test("cannot be changed", () => {
    const old = create(kind, { spec });
    const next = { metadata: { resourceVersion: "1" }, spec: { ...spec, podName: "q" } };
    expect(update(kind, next, old).problems).toEqual(["Invalid spec"]);
  });
});
