/** Whether the user may approve or sign for a signer: by its full name, or by `domain` + `/*`. */

import type { Authorizer } from "../authz/contract.ts";
import type { User } from "../machinery/meta/user.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

export async function maySign(
  authorizer: Authorizer,
  vocabulary: Vocabulary,
  question: { readonly user: User; readonly verb: "approve" | "sign" | "attest"; readonly signerName: string },
): Promise<boolean> {
  const { user, verb, signerName } = question;
  for (const name of [signerName, `${signerName.split("/", 1)[0]}/*`]) {
    const decision = await authorizer.authorize({
      user,
      verb,
      isResource: true,
      path: "",
      group: vocabulary.group("certificates.orch.io"),
      version: "*",
      resource: "signers",
      subresource: "",
      namespace: "",
      name,
    });
    if (decision.outcome === "allow") return true;
  }
  return false;
}
