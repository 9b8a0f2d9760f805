import { describe, expect, test } from "vitest";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { makeRequest } from "../../base/certificate.suite.ts";
import { createCatalog } from "../../machinery/catalog/bind.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { admissionRequest } from "../../registry/admission-request.ts";
import type { AdmissionRequest, Operation } from "../../registry/contract/admission.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { createCertificateApproval } from "./certificate-approval.ts";
import { createCertificateRequester } from "./certificate-requester.ts";
import { createCertificateSigning } from "./certificate-signing.ts";
import { createCertificateSubjectRestriction } from "./certificate-subject-restriction.ts";

const catalog = createCatalog([CertificateSigningRequest, Pod], plainEnvironment());
const kind: BoundKind = catalog.of(CertificateSigningRequest);
const user = { name: "bob", uid: "7", groups: ["g"], extra: new Map([["__proto__", ["x"]]]) };
const csr = (spec: object, status: object = {}): ApiObject => ({ metadata: { name: "c" }, spec, status });

function request(operation: Operation, subresource: string, object: ApiObject, old?: ApiObject): AdmissionRequest {
  const context = { user, dryRun: false, fieldManager: "", warn() {} };
  return admissionRequest(kind, { namespace: "", name: "c" }, context, {
    operation,
    subresource,
    object,
    old,
    of: "none",
  });
}
function allowing(...names: string[]) {
  const asked: Attributes[] = [];
  const authorizer: Authorizer = {
    name: "test",
    authorize(attributes) {
      asked.push(attributes);
      return { outcome: names.includes(`${attributes.verb} ${attributes.name}`) ? "allow" : "none", reason: "" };
    },
  };
  return { authorizer, asked };
}
const run = async (plugin: AdmissionPlugin, given: AdmissionRequest) => {
  expect(plugin.handles(given)).toBe(true);
  await plugin.validate?.(given);
};
const forbidden = expect.objectContaining({
  code: 403,
  details: { group: kind.group, kind: kind.resource, name: "c" },
});
const signerName = "example.com/one";

describe("checks on certificate requests (D06 and N27 in docs/security-rows.md)", () => {
  test("approving needs the signer by name or by domain", async () => {
    const given = request("UPDATE", "approval", csr({ signerName: "spoofed/x" }), csr({ signerName }));
    const { authorizer, asked } = allowing();
    await expect(run(createCertificateApproval(authorizer, orch), given)).rejects.toEqual(forbidden);
    expect(asked).toMatchObject([
      { verb: "approve", group: "certificates.orch.io", resource: "signers", name: "example.com/one" },
      { verb: "approve", name: "example.com/*" },
    ]);
    await run(createCertificateApproval(allowing("approve example.com/one").authorizer, orch), given);
    await run(createCertificateApproval(allowing("approve example.com/*").authorizer, orch), given);
    await expect(
      run(createCertificateApproval(allowing("sign example.com/*").authorizer, orch), given),
    ).rejects.toEqual(forbidden);
  });

  test("signing is writing the certificate or the conditions; anything else needs no signer", async () => {
    const old = csr({ signerName }, { conditions: [{ type: "Approved" }] });
    const update = (status: object) => request("UPDATE", "status", csr({ signerName }, status), old);
    const refused = createCertificateSigning(allowing("approve example.com/one").authorizer, orch);
    await run(refused, update({ conditions: [{ type: "Approved" }], certificate: "" }));
    await expect(run(refused, update({ conditions: [{ type: "Approved" }], certificate: "eA==" }))).rejects.toEqual(
      forbidden,
    );
    await expect(run(refused, update({}))).rejects.toEqual(forbidden);
    await run(
      createCertificateSigning(allowing("sign example.com/one").authorizer, orch),
      update({ certificate: "eA==" }),
    );
  });

  test("requests to the client signer for system:masters are refused, however the name is encoded", async () => {
    const plugin = createCertificateSubjectRestriction(orch);
    const client = "orch.io/orch-apiserver-client";
    const ask = (subject: Parameters<typeof makeRequest>[0], to = client) =>
      run(
        plugin,
        request(
          "CREATE",
          "",
          csr({ signerName: to, request: Buffer.from(makeRequest(subject).pem).toString("base64") }),
        ),
      );
    const o = "2.5.4.10";
    await expect(ask([[o, "system:masters"]])).rejects.toEqual(forbidden);
    await expect(
      ask([
        [o, "dev"],
        [
          [o, "x"],
          [o, "system:masters"],
        ],
      ]),
    ).rejects.toEqual(forbidden);
    await ask([[o, "dev, O=system:masters"]]);
    await ask([[o, "system:masters"]], "orch.io/orchlet-serving");
    const broken = request("CREATE", "", csr({ signerName: client, request: "eA==" }));
    await expect(run(plugin, broken)).rejects.toEqual(forbidden);
  });

  test("the requester is the caller, whatever fields the client sent", () => {
    const given = request(
      "CREATE",
      "",
      csr({ signerName, username: "admin", uid: "0", groups: ["system:masters"], extra: { a: ["b"] } }),
    );
    createCertificateRequester().mutate?.(given);
    const spec = given.object?.spec as { extra: object };
    expect(spec).toMatchObject({ signerName, username: "bob", uid: "7", groups: ["g"] });
    expect(Object.entries(spec.extra)).toEqual([["__proto__", ["x"]]]);
  });

  test("other kinds and paths are not checked", () => {
    const plugin = createCertificateRequester();
    const given = request("CREATE", "", csr({}));
    expect(plugin.handles({ ...given, operation: "UPDATE" })).toBe(false);
    expect(plugin.handles({ ...given, subresource: "status" })).toBe(false);
    expect(plugin.handles({ ...given, kind: catalog.of(Pod) })).toBe(false);
  });
});
