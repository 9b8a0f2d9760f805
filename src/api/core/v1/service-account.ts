/** A ServiceAccount is an identity for processes that run in pods. */

import { bool, elided, list, optional, type Static } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { LocalObjectReference, ObjectReference } from "./references.ts";

export const ServiceAccount = kind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
  shortNames: ["sa"],
  doc: "A ServiceAccount is an identity for processes that run in pods.",
  fields: {
    secrets: elided(list(ObjectReference, { patchStrategy: "merge", patchMergeKey: "name" }))
      .at(2)
      .doc("Secrets that pods of the account may use."),
    imagePullSecrets: elided(list(LocalObjectReference))
      .at(3)
      .doc("Secrets for pulling images, given to pods that name none."),
    automountServiceAccountToken: optional(bool()).at(4).doc("Whether pods of the account get a token. Default: true."),
  },
  returnsDeleted: true,
  warnings({ metadata }, _old, environment) {
    const key = environment.vocabulary.word("orch.io/enforce-mountable-secrets");
    return has(environment, "mountableSecretsWarnings") && metadata.annotations?.[key] !== undefined
      ? [
          `metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [];
  },
  prepareForCreate: keepNamesOnly,
  prepareForUpdate: keepNamesOnly,
  columns: (column) => [
    nameColumn,
    column("Secrets", (account) => account.secrets?.length ?? 0, { until: "1.35" }),
    ageColumn,
  ],
  subresources: [
    {
      name: "token",
      verbs: ["create"],
      accepts: { group: "authentication.orch.io", version: "v1", kind: "TokenRequest" },
      action: "serviceaccounts/token",
    },
  ],
});
export type ServiceAccount = Static<typeof ServiceAccount>;

/** Secrets are of the account's own namespace, so nothing but their names is kept. */
function keepNamesOnly(account: { secrets?: ObjectReference[] }): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
