import { describe, expect, test } from "vitest";
import { makeCertificate, makeRequest, type NameSpec } from "../../base/certificate.suite.ts";
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
    { why: "may have one usage", spec, ofV1: [], ofBeta: [] },
    { why: "must not have an empty request", spec: { ...spec, request: "" }, ofV1: ["Invalid spec.request"] },
    { why: "must be in PEM", spec: { ...spec, request: base64("please") }, ofV1: ["Invalid spec.request"] },
    {
      why: "must not be a certificate",
      spec: { ...spec, request: base64(makeCertificate({ subject: ann }).pem) },
      ofV1: ["Invalid spec.request"],
    },
    {
      why: "must contain a PKCS #10 request inside the PEM block",
      spec: { ...spec, request: base64(writePem("CERTIFICATE REQUEST", Buffer.from("please"))) },
      ofV1: ["Invalid spec.request"],
    },
    {
      why: "must be signed with the key that it contains",
      spec: { ...spec, request: base64(writePem("CERTIFICATE REQUEST", forged)) },
      ofV1: ["Invalid spec.request"],
    },
    { why: "must have usages", spec: { ...spec, usages: [] }, ofV1: ["Required spec.usages"] },
    {
      why: "must have known usages without duplicates, except through v1beta1",
      spec: { ...spec, usages: ["any", "fun", "any", "fun"] },
      ofV1: [
        "Duplicate spec.usages[2]",
        "Duplicate spec.usages[3]",
        "NotSupported spec.usages[1]",
        "NotSupported spec.usages[3]",
      ],
      ofBeta: [],
    },
    { why: "must have a signer name", spec: { ...spec, signerName: "" }, ofV1: ["Required spec.signerName"] },
    {
      why: "must not use the legacy signer, except through v1beta1",
      spec: { ...spec, signerName: "orch.io/legacy-unknown" },
      ofV1: ["Invalid spec.signerName"],
      ofBeta: [],
    },
    ...["signer", "example.com/", "example.com/a/b", "local/signer", "Example.com/signer", "example.com/a..b"].map(
      (signerName) => ({
        why: `must not have the signer name ${signerName}`,
        spec: { ...spec, signerName },
        ofV1: ["Invalid spec.signerName"],
      }),
    ),
    {
      why: "must not have a label over 63 characters in the domain of its signer",
      spec: { ...spec, signerName: `${"a".repeat(64)}.com/signer` },
      ofV1: ["Invalid spec.signerName"],
    },
    {
      why: "must not have a domain over 253 characters in its signer name",
      spec: { ...spec, signerName: `${`${"a".repeat(50)}.`.repeat(5)}com/signer` },
      ofV1: ["TooLong spec.signerName"],
    },
    {
      why: "may have a namespace and a name in its signer name",
      spec: { ...spec, signerName: `example.com/space.${"a".repeat(100)}` },
      ofV1: [],
    },
    {
      why: "must not have a signer name over 571 characters",
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

  test("must not change its spec", () => {
    const old = create(v1, { metadata, spec });
    const next = update(v1, { metadata, spec: { ...spec, signerName: "example.com/other", username: "root" } }, old);
    expect([next.object["spec"], next.problems]).toEqual([old.object["spec"], []]);
  });

  test("shows its signer, requestor and condition in its row", () => {
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

test("a missing request is reported as an empty one", () => {
  const told = (given: object) => {
    const { hub } = create(v1, { metadata, spec: given });
    return v1.strategy.validate?.(hub, v1.family.environment);
  };
  const { request: _request, ...without } = spec;
  expect(told(without)).toEqual(told({ ...spec, request: "" }));
});

describe("the default signer of v1beta1", () => {
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
    { why: "a client certificate of a node", subject: node, extensions: [], usages: client, signer: orchlet },
    {
      why: "a serving certificate of a node",
      subject: node,
      extensions: names(host),
      usages: server,
      signer: "orch.io/orchlet-serving",
    },
    { why: "a serving certificate without a host name", subject: node, extensions: [], usages: server, signer: legacy },
    {
      why: "a client certificate with a host name",
      subject: node,
      extensions: names(host),
      usages: client,
      signer: legacy,
    },
    {
      why: "a serving certificate with an e-mail address",
      subject: node,
      extensions: names(host, mail),
      usages: server,
      signer: legacy,
    },
    {
      why: "a client certificate with further usages",
      subject: node,
      extensions: [],
      usages: [...client, "server auth"],
      signer: legacy,
    },
    { why: "a client certificate of a user", subject: ann, extensions: [], usages: client, signer: legacy },
    {
      why: "a client certificate with two organizations",
      subject: [["2.5.4.10", "admins"] as const, ...node],
      extensions: [],
      usages: client,
      signer: legacy,
    },
    {
      why: "a client certificate without a common name",
      subject: node.slice(0, 1),
      extensions: [],
      usages: client,
      signer: legacy,
    },
  ];
  for (const { why, subject, extensions, usages, signer } of cases) {
    test(`${why}: ${signer}`, () => {
      const given = { request: base64(makeRequest(subject, extensions).pem), usages };
      expect(create(beta, { metadata, spec: given }).object["spec"]).toMatchObject({ signerName: signer });
    });
  }

  test("is also set for an unreadable request, with default usages", () => {
    expect(create(beta, { metadata, spec: { request: base64("x") } })).toMatchObject({
      object: { spec: { signerName: legacy, usages: both } },
      problems: ["Invalid spec.request"],
    });
  });
});

/** The state of a request after `status` is written through a path. */
function write(kind: BoundKind, path: string, before: object, status: object) {
  const { environment } = kind.family;
  const old: ApiObject = { ...create(v1, { metadata, spec }).hub, status: before };
  const sub = kind.subresources.get(path);
  const next = sub?.merge?.({ ...old, spec: { request: "other" }, status }, old, environment) as ApiObject | undefined;
  if (next === undefined) throw new Error(`${path} is not declared`);
  return { next, problems: show(sub?.validate?.(next, old, environment) ?? []) };
}

describe("the conditions of a request", () => {
  const yes = { type: "Approved", status: "True" };
  const no = { type: "Denied", status: "True" };
  const failed = { type: "Failed", status: "True" };
  const then = "2020-01-01T00:00:00Z";
  const dated = <T extends object>(one: T) => ({ ...one, lastUpdateTime: then, lastTransitionTime: then });
  const cases = [
    { why: "may be set to Approved through approval", path: "approval", before: [], after: [yes], problems: [] },
    {
      why: "must not be set to Denied through status",
      path: "status",
      before: [],
      after: [no],
      problems: ["Forbidden status.conditions"],
    },
    {
      why: "may include Failed beside Approved through status",
      path: "status",
      before: [yes],
      after: [yes, failed],
      problems: [],
    },
    {
      why: "must not lose Failed through approval",
      path: "approval",
      before: [yes, failed],
      after: [yes],
      problems: ["Forbidden status.conditions"],
    },
    {
      why: "may keep errors that the stored request has",
      path: "approval",
      before: [yes, no, { type: "", status: "True" }, { type: "", status: "True" }],
      after: [yes, no, { type: "", status: "True" }, { type: "", status: "True" }],
      problems: [],
    },
    {
      why: "must not lose Approved through approval",
      path: "approval",
      before: [yes],
      after: [],
      problems: ["Forbidden status.conditions"],
    },
    {
      why: "must not lose Denied through status",
      path: "status",
      before: [no],
      after: [],
      problems: ["Forbidden status.conditions"],
    },
    {
      why: "must not be both Approved and Denied",
      path: "approval",
      before: [],
      after: [yes, no],
      problems: ["Invalid status.conditions[1].type"],
    },
    {
      why: "must not repeat a type",
      path: "approval",
      before: [],
      after: [yes, yes],
      problems: ["Duplicate status.conditions[1].type"],
    },
    {
      why: "must be True for Approved",
      path: "approval",
      before: [],
      after: [{ ...yes, status: "False" }],
      problems: ["NotSupported status.conditions[0].status"],
    },
    {
      why: "must have a type and a status",
      path: "approval",
      before: [],
      after: [{ type: "", status: "" }],
      problems: ["Required status.conditions[0].status", "Required status.conditions[0].type"],
    },
    {
      why: "may have unknown types",
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

  test("are not changed by the status of v1beta1, and no path changes the spec", () => {
    const { next, problems } = write(beta, "status", { conditions: [dated(yes)] }, { conditions: [no, failed] });
    expect([next["status"], problems]).toEqual([{ conditions: [dated(yes)] }, []]);
    expect(next["spec"]).toMatchObject(spec);
  });

  test("keep the stored approval in its new position if status repeats it", () => {
    const again = { ...yes, reason: "Another" };
    for (const kind of [v1, beta]) {
      const { next, problems } = write(kind, "status", { conditions: [dated(yes)] }, { conditions: [failed, again] });
      expect([next["status"], problems]).toMatchObject([{ conditions: [failed, dated(yes)] }, []]);
      expect(JSON.stringify(next["status"])).not.toContain("Another");
    }
  });

  test("may lack a type in v1beta1, but not a status", () => {
    const { problems } = write(beta, "approval", {}, { conditions: [{ type: "" }, { type: "", status: "True" }] });
    expect(problems).toEqual(["Required status.conditions[0].status"]);
  });

  test("get the time of the server unless the client sets one, and keep it", () => {
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
    { why: "may be set through status", before: {}, given: certificate, problems: [] },
    { why: "may be a chain", before: {}, given: base64(pem + pem), problems: [] },
    {
      why: "must not be replaced",
      before: { certificate },
      given: base64(pem + pem),
      problems: ["Forbidden status.certificate"],
    },
    {
      why: "must not be removed",
      before: { certificate },
      given: undefined,
      problems: ["Forbidden status.certificate"],
    },
    { why: "must be in PEM", before: {}, given: base64("yours"), problems: bad },
    { why: "must not be a request", before: {}, given: request, problems: bad },
    { why: "must not have PEM headers", before: {}, given: base64(pem.replace("\n", "\nA: b\n\n")), problems: bad },
    {
      why: "must contain a certificate inside the PEM block",
      before: {},
      given: base64(writePem("CERTIFICATE", Buffer.from("yours"))),
      problems: bad,
    },
  ];
  for (const { why, before, given, problems } of cases) {
    const status = given === undefined ? {} : { certificate: given };
    test(why, () => expect(write(v1, "status", before, status).problems).toEqual(problems));
  }

  test("may be anything in v1beta1, and may be replaced", () => {
    expect(write(beta, "status", {}, { certificate: base64("yours") }).problems).toEqual([]);
    expect(write(beta, "status", { certificate }, { certificate: base64("yours") }).problems).toEqual([]);
  });

  test("is checked even where it must not be replaced", () => {
    const { problems } = write(v1, "status", { certificate }, { certificate: base64("yours") });
    expect(problems).toEqual(["Forbidden status.certificate", "Invalid status.certificate"]);
  });

  test("is not changed through approval", () => {
    for (const before of [{}, { certificate }]) {
      const { next, problems } = write(v1, "approval", before, { certificate: base64("mine") });
      expect([next["status"], problems]).toEqual([before, []]);
    }
  });
});
