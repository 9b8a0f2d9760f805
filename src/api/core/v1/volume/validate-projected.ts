/** Relations between the members of a source that fills a volume together with others. */

import { validateLabelSelector } from "../../../../machinery/meta/label-selector.ts";
import { isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import type { Static } from "../../../../machinery/schema/build.ts";
import { on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import {
  each,
  type FieldErrors,
  forbidden,
  invalid,
  noErrors,
  required,
} from "../../../../machinery/status/field-error.ts";
import { checkLifetime } from "../../../certificates/v1/pod-certificate-rules.ts";
import { validateSignerName } from "../../../certificates/v1/request-spec.ts";
import { ClusterTrustBundleProjection, PodCertificateProjection, VolumeProjection } from "./object-files.ts";
import { certificatePaths } from "./source-rules.ts";

export const projectedRelations: readonly Relation[] = [
  on(VolumeProjection, (projection) =>
    Object.values(projection).filter((value) => value !== undefined).length > 1
      ? [forbidden("", "may not specify more than 1 volume type")]
      : [],
  ),
  on(ClusterTrustBundleProjection, checkBundle),
  on(PodCertificateProjection, checkCertificate),
];

/** One bundle by its name, or those of a signer. */
function checkBundle(
  { name, signerName, labelSelector }: Static<typeof ClusterTrustBundleProjection>,
  environment: Environment,
): FieldErrors {
  if (name !== undefined && signerName !== undefined)
    return [invalid("", { name, signerName }, "may only have one of name and signerName")];
  if (name !== undefined)
    return [
      ...(name === "" ? [required("name")] : []),
      // The name of a bundle of a signer begins with that of the signer.
      ...each(isDns1123Subdomain(name.slice(name.lastIndexOf(":") + 1)), "name", name),
      ...(labelSelector === undefined
        ? []
        : [invalid("labelSelector", labelSelector, "must not be given with a name")]),
    ];
  if (signerName === undefined) return [required("", "name or signerName must be given")];
  return [
    ...(signerName === "" ? [required("signerName")] : validateSignerName(signerName, "signerName")),
    ...validateLabelSelector(labelSelector, "labelSelector", environment),
  ];
}

function checkCertificate(
  projection: Static<typeof PodCertificateProjection>,
  { vocabulary }: Environment,
): FieldErrors {
  const { maxExpirationSeconds: seconds, signerName = "" } = projection;
  const lifetime =
    seconds === undefined
      ? noErrors
      : checkLifetime(seconds, { signerName, domain: vocabulary.word("orch.io"), path: "maxExpirationSeconds" });
  return certificatePaths(projection).length > 0
    ? lifetime
    : [...lifetime, required("", "must have one of credentialBundlePath, keyPath and certificateChainPath")];
}
