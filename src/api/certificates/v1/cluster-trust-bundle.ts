/** A ClusterTrustBundle has certificates of authorities that everybody in the cluster may trust. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { elided, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { each, type FieldErrors, invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { nameColumn } from "../../columns.ts";
import { trustAnchorsProblem } from "./certificate-problem.ts";
import { validateSignerName } from "./request-spec.ts";

/** As large as an object of a store may be. */
const trustBundleBytesMax = 1024 * 1024;

const ClusterTrustBundleSpec = struct("certificates.v1.ClusterTrustBundleSpec", {
  signerName: elided(string())
    .at(1)
    .checked(validateSignerName)
    .immutable()
    .doc("The signer whose certificates the bundle is for; cannot be changed. Absent: any."),
  trustBundle: string()
    .at(2)
    .max(trustBundleBytesMax)
    .doc("The certificates in PEM form, at least one, each once; at most a megabyte."),
});
type ClusterTrustBundleSpec = Static<typeof ClusterTrustBundleSpec>;

export const ClusterTrustBundle = kind({
  group: "certificates.orch.io",
  version: "v1",
  since: "1.37",
  behind: "ClusterTrustBundle",
  kind: "ClusterTrustBundle",
  resource: "clustertrustbundles",
  scope: "Cluster",
  doc: "A ClusterTrustBundle has certificates of authorities that everybody in the cluster may trust.",
  fields: { spec: ClusterTrustBundleSpec.at(2).doc("The certificates, and for what they are.") },
  name: "pathSegment",
  unconditionalUpdate: false,
  validate: ({ metadata, spec }) => [...checkName(metadata.name ?? "", spec), ...checkAnchors(spec)],
  validateUpdate: ({ spec }, old) => (spec.trustBundle === old.spec.trustBundle ? noErrors : checkAnchors(spec)),
  selectableFields: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  columns: (column) => [nameColumn, column("SignerName", ({ spec }) => spec.signerName || "<none>")],
});
export type ClusterTrustBundle = Static<typeof ClusterTrustBundle>;

/** The name of a bundle of a signer begins with that of the signer. */
function checkName(name: string, { signerName = "" }: ClusterTrustBundleSpec): FieldErrors {
  const path = "metadata.name";
  if (signerName === "") {
    return name.includes(":")
      ? [invalid(path, name, 'ClusterTrustBundle without signer name must not have ":" in its name')]
      : each(isDns1123Subdomain(name), path, name);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  if (name.startsWith(prefix)) return each(isDns1123Subdomain(name.slice(prefix.length)), path, name);
  return [invalid(path, name, `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`)];
}

function checkAnchors({ trustBundle }: ClusterTrustBundleSpec): FieldErrors {
  const problem = trustAnchorsProblem(trustBundle);
  return problem === undefined ? noErrors : [invalid("spec.trustBundle", "<value omitted>", problem)];
}
