import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeCertificate, makeRequest, type NameSpec, newKeys } from "../../base/certificate.suite.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { ClusterTrustBundle } from "./v1/cluster-trust-bundle.ts";
import { PodCertificateRequest } from "./v1/pod-certificate-request.ts";
import { checkIssued } from "./v1/pod-certificate-rules.ts";

const bound = bindVersions([ClusterTrustBundle, PodCertificateRequest], {}, "1.37");
const kindOf = (name: string) => {
  const found = bound.catalog.byKind("certificates.orch.io", "v1", name);
  if (found === undefined) throw new Error(`${name} is not served`);
  return found;
};
const subject: NameSpec = [["2.5.4.3", "root"]];
/** On a curve that requests may not use. */
const oldKeys = generateKeyPairSync("ec", { namedCurve: "secp256k1" });

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

  const refusals: { why: string; given: object; problems: string[] }[] = [
    {
      why: "names a pod, an account and a node",
      given: { podName: "", serviceAccountName: "A_", nodeName: "a..b" },
      problems: ["Invalid spec.nodeName", "Invalid spec.podName", "Invalid spec.serviceAccountName"],
    },
    { why: "says which pod it is", given: { podUID: "" }, problems: ["Invalid spec.podUID"] },
    { why: "has short uids", given: { nodeUID: "x".repeat(129) }, problems: ["TooLong spec.nodeUID"] },
    {
      why: "is for a day at most if the signer is of the system",
      given: { signerName: "orch.io/x", maxExpirationSeconds: 86_401 },
      problems: ["Invalid spec.maxExpirationSeconds"],
    },
    {
      why: "is for an hour at least",
      given: { maxExpirationSeconds: 3_599 },
      problems: ["Invalid spec.maxExpirationSeconds"],
    },
    { why: "has a key", given: { stubPKCS10Request: "" }, problems: ["Invalid spec.stubPKCS10Request"] },
    {
      why: "has a request in DER form",
      given: { stubPKCS10Request: "AAAA" },
      problems: ["Invalid spec.stubPKCS10Request"],
    },
    {
      why: "has a key of a kind that signers know",
      given: { stubPKCS10Request: makeRequest(subject, [], oldKeys).der.toString("base64") },
      problems: ["Invalid spec.stubPKCS10Request"],
    },
    {
      why: "has annotations with a domain",
      given: { unverifiedUserAnnotations: { "Example.com/A": "x", plain: "x" } },
      problems: ["Invalid spec.unverifiedUserAnnotations"],
    },
  ];
  for (const { why, given, problems } of refusals)
    test(why, () => {
      expect(create(kind, { spec: { ...spec, ...given } }).problems).toEqual(problems);
    });

  test("cannot be changed", () => {
    const old = create(kind, { spec });
    const next = { metadata: { resourceVersion: "1" }, spec: { ...spec, podName: "q" } };
    expect(update(kind, next, old).problems).toEqual(["Invalid spec"]);
  });
});

describe("the answer of a signer", () => {
  const hour = 60 * 60_000;
  const nowMs = Date.parse("2030-01-01T00:00:00Z");
  const keys = newKeys();
  const stub = makeRequest(subject, [], keys).der.toString("base64");
  const time = (ms: number) => new Date(nowMs + ms).toISOString().replace(".000", "");
  const chainOf = (lastsMs: number, beginsMs = 0, of = keys) =>
    makeCertificate({ subject, keys: of, notBefore: new Date(nowMs + beginsMs), notAfter: new Date(nowMs + lastsMs) })
      .pem;
  const good = {
    certificateChain: chainOf(2 * hour),
    notBefore: time(0),
    notAfter: time(2 * hour),
    beginRefreshAt: time(hour),
  };
  const problems = (answer: object) =>
    show(checkIssued({ ...good, ...answer }, { stub, secondsMax: 24 * 60 * 60 }, nowMs)).map((one) =>
      one.replace("status.", ""),
    );
  const root = makeCertificate({ subject, authority: true }).pem;

  test("is a certificate of the requested key, with its times", () => {
    expect(problems({})).toEqual([]);
    expect(problems({ certificateChain: good.certificateChain + root })).toEqual([]);
    expect(problems({ certificateChain: "" })).toEqual(["Invalid certificateChain"]);
    expect(problems({ certificateChain: good.certificateChain + makeRequest(subject).pem })).toEqual([
      "Invalid certificateChain",
    ]);
    expect(problems({ certificateChain: chainOf(2 * hour, 0, newKeys()) })).toEqual(["Invalid certificateChain"]);
    expect(problems({ notBefore: undefined, beginRefreshAt: null })).toEqual([
      "Required beginRefreshAt",
      "Required notBefore",
    ]);
    expect(problems({ notAfter: time(hour) })).toEqual(["Invalid notAfter"]);
  });

  test("begins now, lasts as long as was asked, and is renewed within its time", () => {
    const lasting = (ms: number) => ({ certificateChain: chainOf(ms), notAfter: time(ms) });
    expect(problems(lasting(hour / 2))).toEqual(["Invalid certificateChain"]);
    expect(problems(lasting(25 * hour))).toEqual(["Invalid certificateChain"]);
    expect(problems({ certificateChain: chainOf(2 * hour, -hour), notBefore: time(-hour) })).toEqual([
      "Invalid notBefore",
    ]);
    expect(problems({ beginRefreshAt: time(hour / 12) })).toEqual(["Invalid beginRefreshAt"]);
    expect(problems({ beginRefreshAt: time(2 * hour) })).toEqual(["Invalid beginRefreshAt"]);
  });
});
