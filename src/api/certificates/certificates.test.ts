import { describe, expect, test } from "vitest";
import type { NameSpec } from "../../base/certificate.suite.ts";
import { makeCertificate, makeRequest } from "../../base/certificate.suite.ts";
import { writeDer, writeExtension } from "../../base/der-write.ts";
import { writePem } from "../../base/pem.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { tableRow } from "../../machinery/table/table.ts";
import { bindVersions, create, show, update } from "../life.suite.ts";
import { CertificateSigningRequest } from "./v1/certificate-signing-request.ts";
import { CertificateSigningRequest as Beta } from "./v1beta1/certificate-signing-request.ts";

const requests = bindVersions([CertificateSigningRequest, Beta]);
const [v1, beta] = [requests.version("v1"), requests.version("v1beta1")];
const metadata = { name: "x" };
const base64 = (text: string) => Buffer.from(text).toString("base64");
const ann: NameSpec = [["2.5.4.3", "ann"]];
const request = base64(makeRequest(ann).pem);
const spec = { request, usages: ["client auth"], signerName: "example.com/signer" };

describe("a certificate request", () => {
  const sound = makeRequest(ann);
  const forged = Buffer.from(sound.der);
  forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
  const long = `${"a".repeat(63)}.`.repeat(9);
  const cases = [
    { why: "may be for one use", spec, ofV1: [], ofBeta: [] },
    { why: "asks for something", spec: { ...spec, request: "" }, ofV1: ["Invalid spec.request"] },
    { why: "asks in PEM", spec: { ...spec, request: base64("please") }, ofV1: ["Invalid spec.request"] },
    {
      why: "is not a certificate",
      spec: { ...spec, request: base64(makeCertificate({ subject: ann }).pem) },
      ofV1: ["Invalid spec.request"],
    },
    {
      why: "is not another thing under its name",
      spec: { ...spec, request: base64(writePem("CERTIFICATE REQUEST", Buffer.from("please"))) },
      ofV1: ["Invalid spec.request"],
    },
    {
      why: "is signed with the key it is for",
      spec: { ...spec, request: base64(writePem("CERTIFICATE REQUEST", forged)) },
      ofV1: ["Invalid spec.request"],
    },
    { why: "is for some use", spec: { ...spec, usages: [] }, ofV1: ["Required spec.usages"] },
    {
      why: "is for uses that there are, each once",
      spec: { ...spec, usages: ["any", "fun", "any", "fun"] },
      ofV1: [
        "Duplicate spec.usages[2]",
        "Duplicate spec.usages[3]",
        "NotSupported spec.usages[1]",
        "NotSupported spec.usages[3]",
      ],
      ofBeta: [],
    },
    { why: "has a signer", spec: { ...spec, signerName: "" }, ofV1: ["Required spec.signerName"] },
    {
      why: "does not leave the signer to old custom",
      spec: { ...spec, signerName: "orch.io/legacy-unknown" },
      ofV1: ["Invalid spec.signerName"],
      ofBeta: [],
    },
    ...["signer", "example.com/", "example.com/a/b", "local/signer", "Example.com/signer", "example.com/a..b"].map(
      (signerName) => ({
        why: `does not name the signer ${signerName}`,
        spec: { ...spec, signerName },
        ofV1: ["Invalid spec.signerName"],
      }),
    ),
    {
      why: "names a signer of a domain whose labels are in bounds",
      spec: { ...spec, signerName: `${"a".repeat(64)}.com/signer` },
      ofV1: ["Invalid spec.signerName"],
    },
    {
      why: "names a signer of a domain in bounds",
      spec: { ...spec, signerName: `${`${"a".repeat(50)}.`.repeat(5)}com/signer` },
      ofV1: ["TooLong spec.signerName"],
    },
    {
      why: "names a signer that is called as an object may be",
      spec: { ...spec, signerName: `example.com/space.${"a".repeat(100)}` },
      ofV1: [],
    },
    {
      why: "names a signer in bounds",
      spec: { ...spec, signerName: `example.com/${long}a` },
      ofV1: ["TooLong spec.signerName"],
    },
  ];
  for (const { why, spec: given, ofV1, ofBeta = ofV1 } of cases.map((one) => ({ ofBeta: undefined, ...one }))) {
    test(why, () => {
      const body = { metadata, spec: given };
      expect([create(v1, body).problems, create(beta, body).problems]).toEqual([ofV1, ofBeta]);
    });
  }

  test("cannot be changed into another", () => {
    const old = create(v1, { metadata, spec });
    const next = update(v1, { metadata, spec: { ...spec, signerName: "example.com/other", username: "root" } }, old);
    expect([next.object["spec"], next.problems]).toEqual([old.object["spec"], []]);
  });

  test("shows its signer, who asks, and what became of it", () => {
    const row = (status: object) => {
      const { object } = create(v1, { metadata, spec: { ...spec, username: "ann" } });
      return tableRow(v1, { ...object, status }, v1.family.environment).slice(2);
    };
    const conditions = (...types: string[]) => types.map((type) => ({ type, status: "True" }));
    expect(row({})).toEqual(["example.com/signer", "ann", "Pending"]);
    expect(row({ conditions: conditions("Denied") })[2]).toBe("Denied");
    expect(row({ conditions: conditions("Approved", "Failed") })[2]).toBe("Approved,Failed");
    expect(row({ conditions: conditions("Approved"), certificate: request })[2]).toBe("Approved,Issued");
  });
});

test("a request without bytes is refused in the words for an empty one", () => {
  const told = (given: object) => {
    const { hub } = create(v1, { metadata, spec: given });
    return v1.life.validate?.(hub, v1.family.environment);
  };
  const { request: _request, ...without } = spec;
  expect(told(without)).toEqual(told({ ...spec, request: "" }));
});

describe("the signer that v1beta1 means", () => {
  const node: NameSpec = [
    ["2.5.4.10", "system:nodes"],
    ["2.5.4.3", "system:node:a"],
  ];
  const names = (...entries: Buffer[]) => [writeExtension("2.5.29.17", writeDer(0x30, entries))];
  const host = writeDer(0x82, Buffer.from("node-a"));
  const mail = writeDer(0x81, Buffer.from("a@example.com"));
  const both = ["digital signature", "key encipherment"];
  const client = [...both, "client auth"];
  const server = ["server auth", ...both];
  const orchlet = "orch.io/orch-apiserver-client-orchlet";
  const legacy = "orch.io/legacy-unknown";
  const cases = [
    { why: "a node that calls", subject: node, extensions: [], usages: client, signer: orchlet },
    {
      why: "a node that is called",
      subject: node,
      extensions: names(host),
      usages: server,
      signer: "orch.io/orchlet-serving",
    },
    { why: "a node that is called nowhere", subject: node, extensions: [], usages: server, signer: legacy },
    { why: "a node that calls from a host", subject: node, extensions: names(host), usages: client, signer: legacy },
    { why: "a node that gets mail", subject: node, extensions: names(host, mail), usages: server, signer: legacy },
    { why: "a node that does more", subject: node, extensions: [], usages: [...client, "server auth"], signer: legacy },
    { why: "a person", subject: ann, extensions: [], usages: client, signer: legacy },
    {
      why: "a node of two groups",
      subject: [["2.5.4.10", "admins"] as const, ...node],
      extensions: [],
      usages: client,
      signer: legacy,
    },
    { why: "a group without a node", subject: node.slice(0, 1), extensions: [], usages: client, signer: legacy },
  ];
  for (const { why, subject, extensions, usages, signer } of cases) {
    test(`${why}: ${signer}`, () => {
      const given = { request: base64(makeRequest(subject, extensions).pem), usages };
      expect(create(beta, { metadata, spec: given }).object["spec"]).toMatchObject({ signerName: signer });
    });
  }

  test("is also chosen for an unreadable request, and usages are filled in", () => {
    expect(create(beta, { metadata, spec: { request: base64("x") } })).toMatchObject({
      object: { spec: { signerName: legacy, usages: both } },
      problems: ["Invalid spec.request"],
    });
  });
});

/** What becomes of a request in this state when `status` is written through a path. */
function write(kind: BoundKind, path: string, before: object, status: object) {
  const { environment } = kind.family;
  const old: ApiObject = { ...create(v1, { metadata, spec }).hub, status: before };
  const sub = kind.subresources.get(path);
  const next = sub?.merge?.({ ...old, spec: { request: "other" }, status }, old, environment) as ApiObject | undefined;
  if (next === undefined) throw new Error(`${path} is not declared`);
  return { next, problems: show(sub?.validate?.(next, old, environment) ?? []) };
}

describe("the decision on a request", () => {
  const yes = { type: "Approved", status: "True" };
  const no = { type: "Denied", status: "True" };
  const failed = { type: "Failed", status: "True" };
  const then = "2020-01-01T00:00:00Z";
  const dated = <T extends object>(one: T) => ({ ...one, lastUpdateTime: then, lastTransitionTime: then });
  const cases = [
    { why: "may be made by approval", path: "approval", before: [], after: [yes], problems: [] },
    {
      why: "is not made by status",
      path: "status",
      before: [],
      after: [no],
      problems: ["Forbidden status.conditions"],
    },
    { why: "may be kept by status", path: "status", before: [yes], after: [yes, failed], problems: [] },
    {
      why: "is not followed by a failure that is taken back",
      path: "approval",
      before: [yes, failed],
      after: [yes],
      problems: ["Forbidden status.conditions"],
    },
    {
      why: "is not followed by an error that comes back, unless it was there",
      path: "approval",
      before: [yes, no, { type: "", status: "True" }, { type: "", status: "True" }],
      after: [yes, no, { type: "", status: "True" }, { type: "", status: "True" }],
      problems: [],
    },
    { why: "is final", path: "approval", before: [yes], after: [], problems: ["Forbidden status.conditions"] },
    {
      why: "is final for status too",
      path: "status",
      before: [no],
      after: [],
      problems: ["Forbidden status.conditions"],
    },
    { why: "is one", path: "approval", before: [], after: [yes, no], problems: ["Invalid status.conditions[1].type"] },
    {
      why: "is made once",
      path: "approval",
      before: [],
      after: [yes, yes],
      problems: ["Duplicate status.conditions[1].type"],
    },
    {
      why: "is true",
      path: "approval",
      before: [],
      after: [{ ...yes, status: "False" }],
      problems: ["NotSupported status.conditions[0].status"],
    },
    {
      why: "has a type and a status",
      path: "approval",
      before: [],
      after: [{ type: "", status: "" }],
      problems: ["Required status.conditions[0].status", "Required status.conditions[0].type"],
    },
    {
      why: "may accompany unknown ones",
      path: "approval",
      before: [],
      after: [{ type: "Mine", status: "Unknown" }],
      problems: [],
    },
  ];
  for (const { why, path, before, after, problems } of cases) {
    test(why, () =>
      expect(write(v1, path, { conditions: before.map(dated) }, { conditions: after }).problems).toEqual(problems),
    );
  }

  test("is not touched by the status of v1beta1, and the request by no path", () => {
    const { next, problems } = write(beta, "status", { conditions: [dated(yes)] }, { conditions: [no, failed] });
    expect([next["status"], problems]).toEqual([{ conditions: [dated(yes)] }, []]);
    expect(next["spec"]).toMatchObject(spec);
  });

  test("is as it was where status makes it again, in its new place", () => {
    const again = { ...yes, reason: "Another" };
    for (const kind of [v1, beta]) {
      const { next, problems } = write(kind, "status", { conditions: [dated(yes)] }, { conditions: [failed, again] });
      expect([next["status"], problems]).toMatchObject([{ conditions: [failed, dated(yes)] }, []]);
      expect(JSON.stringify(next["status"])).not.toContain("Another");
    }
  });

  test("may lack a type in v1beta1, but no status", () => {
    const { problems } = write(beta, "approval", {}, { conditions: [{ type: "" }, { type: "", status: "True" }] });
    expect(problems).toEqual(["Required status.conditions[0].status"]);
  });

  test("is dated by the server unless the writer did, and keeps its date", () => {
    const now = "1970-01-01T00:00:00Z";
    const approve = (before: object[], one: object) =>
      write(v1, "approval", { conditions: before }, { conditions: [one] }).next["status"];
    expect(approve([], yes)).toEqual({ conditions: [{ ...yes, lastUpdateTime: now, lastTransitionTime: now }] });
    expect(approve([], dated(yes))).toEqual({ conditions: [dated(yes)] });
    expect(approve([dated(yes)], yes)).toEqual({ conditions: [{ ...dated(yes), lastUpdateTime: now }] });
  });
});

describe("the certificate of a request", () => {
  const { pem } = makeCertificate({ subject: ann });
  const certificate = base64(pem);
  const bad = ["Invalid status.certificate"];
  const cases = [
    { why: "is issued by status", before: {}, given: certificate, problems: [] },
    { why: "may come with those above it", before: {}, given: base64(pem + pem), problems: [] },
    {
      why: "is not replaced",
      before: { certificate },
      given: base64(pem + pem),
      problems: ["Forbidden status.certificate"],
    },
    { why: "is not taken back", before: { certificate }, given: undefined, problems: ["Forbidden status.certificate"] },
    { why: "is in PEM", before: {}, given: base64("yours"), problems: bad },
    { why: "is not a request", before: {}, given: request, problems: bad },
    { why: "has no headers", before: {}, given: base64(pem.replace("\n", "\nA: b\n\n")), problems: bad },
    {
      why: "is a certificate inside",
      before: {},
      given: base64(writePem("CERTIFICATE", Buffer.from("yours"))),
      problems: bad,
    },
  ];
  for (const { why, before, given, problems } of cases) {
    const status = given === undefined ? {} : { certificate: given };
    test(why, () => expect(write(v1, "status", before, status).problems).toEqual(problems));
  }

  test("may be anything in v1beta1, and be replaced", () => {
    expect(write(beta, "status", {}, { certificate: base64("yours") }).problems).toEqual([]);
    expect(write(beta, "status", { certificate }, { certificate: base64("yours") }).problems).toEqual([]);
  });

  test("is not replaced, least of all by something else", () => {
    const { problems } = write(v1, "status", { certificate }, { certificate: base64("yours") });
    expect(problems).toEqual(["Forbidden status.certificate", "Invalid status.certificate"]);
  });

  test("is not written by approval", () => {
    for (const before of [{}, { certificate }]) {
      const { next, problems } = write(v1, "approval", before, { certificate: base64("mine") });
      expect([next["status"], problems]).toEqual([before, []]);
    }
  });
});
