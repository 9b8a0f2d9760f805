/** Descriptions of roles, bindings, accounts and certificate requests. */

import { type Json, text } from "../json.ts";
import { csrSubject } from "./certificate.ts";
import { clusterHeading, created, heading, name } from "./metadata.ts";
import { pairsInLine, phrase, valuesOf } from "./readers.ts";
import { ruleRows } from "./role-rules.ts";
import { field, given, line, plainTable, type Rows, section, values } from "./row.ts";

export const serviceAccount: Rows = [
  ...heading,
  values("Image pull secrets", valuesOf("imagePullSecrets", "name")),
  values("Mountable secrets", valuesOf("secrets", "name")),
  values("Tokens", (account) => valuesOf("secrets", "name")(account).filter((secret) => secret.includes("-token-"))),
];

export const role: Rows = [
  ...clusterHeading,
  section("PolicyRule", [
    plainTable(ruleRows, {
      Resources: "resource",
      "Non-Resource URLs": phrase`[${"url"}]`,
      "Resource Names": phrase`[${"name"}]`,
      Verbs: phrase`[${"verbs"}]`,
    }),
  ]),
];

export const binding: Rows = [
  ...clusterHeading,
  section("Role", [field("Kind", "roleRef.kind"), field("Name", "roleRef.name")]),
  section("Subjects", [plainTable("subjects", { Kind: "kind", Name: "name", Namespace: "namespace" })]),
];

export const signingRequest: Rows = [
  name,
  field("Labels", pairsInLine("metadata.labels")),
  field("Annotations", pairsInLine("metadata.annotations")),
  created,
  field("Requesting User", "spec.username"),
  given("Signer", "spec.signerName"),
  field("Status", requestStatus),
  section("Subject", [
    line(({ spec }) => csrSubject(text(spec, "request")).map(([title, part]) => `${title}:\t${part}`)),
  ]),
];

function requestStatus(value: Json): string {
  const types = valuesOf("status.conditions", "type")(value);
  const decision = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  return text(value, "status", "certificate") === "" ? decision : `${decision},Issued`;
}
