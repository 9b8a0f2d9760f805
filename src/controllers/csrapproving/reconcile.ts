/** Approves a request for a node's client certificate if the requester has one of the permissions for it. */

import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { CertificateSigningRequestSpec } from "../../api/certificates/v1/request-spec.ts";
import { commonName } from "../../base/x509.ts";
import { TryAgain } from "../../client/reconcile/reconcile-queue.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { hasCondition, withCondition } from "../parts/certificates/conditions.ts";
import { readRequest, refusal } from "../parts/certificates/signer-rules.ts";
import { create, type Plan, put } from "../plan.ts";

const signer = "orch.io/orch-apiserver-client-orchlet";

const message = "The node's client certificate was approved after a review of the requester's permissions";

/** Asks for one permission after the other. `now`: for the condition. */
export function planApproval(
  request: CertificateSigningRequest,
  now: () => string,
  vocabulary: Vocabulary,
  permissions = permissionsToAsk(request, vocabulary),
): Plan | undefined {
  const [subresource, ...others] = permissions;
  if (subresource === undefined) return undefined;
  const review = create(SubjectAccessReview, accessReview(request.spec, subresource, vocabulary));
  return {
    writes: [review],
    next(done) {
      if (done.of(review)?.status?.allowed !== true)
        return planApproval(request, now, vocabulary, others) ?? { failure: new TryAgain(notAllowed) };
      const condition = { type: "Approved", reason: "AutoApproved", message } as const;
      const approved = withCondition(request, condition, now());
      const ref = { name: request.metadata.name ?? "" };
      return { writes: [put(CertificateSigningRequest, ref, "approval", approved, { tolerates: ["NotFound"] })] };
    },
  };
}

/** The permission may be granted later. */
const notAllowed = "the requester may not request certificates of nodes";

function accessReview(
  { username = "", uid, groups, extra }: CertificateSigningRequestSpec,
  subresource: string,
  vocabulary: Vocabulary,
): SubjectAccessReview {
  return {
    metadata: {},
    spec: {
      user: username,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: vocabulary.group("certificates.orch.io"),
        resource: "certificatesigningrequests",
        verb: "create",
        subresource,
      },
    },
  };
}

/** Subresources to check, in order; the right to create one of them is enough. None: not for this controller. */
export function permissionsToAsk(request: CertificateSigningRequest, vocabulary: Vocabulary): readonly string[] {
  const { spec, status } = request;
  if (spec.signerName !== vocabulary.word(signer)) return [];
  if ((status?.certificate ?? "") !== "" || hasCondition(request, "Approved") || hasCondition(request, "Denied"))
    return [];
  try {
    const asked = readRequest(spec.request);
    if (refusal(signer, asked, spec.usages ?? []) !== undefined) return [];
    return commonName(asked.subject) === spec.username ? ["selfnodeclient", "nodeclient"] : ["nodeclient"];
  } catch {
    return []; // an unreadable request is not approved
  }
}
