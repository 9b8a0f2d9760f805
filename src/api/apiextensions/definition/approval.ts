/** Protected groups: a definition in one of them must name its approval, or say that it has none. */

import { parseUrlParts } from "../../../base/url-parts.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import { type FieldError, invalid, required } from "../../../machinery/status/field-error.ts";

interface Approvable {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly group: string };
}

type Approval = "missing" | "bypassed" | "approved" | "invalid";

const neutralAnnotation = "api-approved.orch.io";

/** The approval annotation, in the vocabulary of the server. */
const approvalAnnotation = ({ vocabulary }: Environment): string => vocabulary.word(neutralAnnotation);

/** Whether the group is one of the product's: "storage.orch.io" is, "orch.io.example.com" is not. */
function isProtectedGroup(group: string, { vocabulary }: Environment): boolean {
  const domains = [vocabulary.group("any.orch.io").slice("any.".length), vocabulary.word("orch.io/any").split("/")[0]];
  return domains.some((domain) => group === domain || group.endsWith(`.${domain}`));
}

function approvalOf({ annotations }: ObjectMeta, environment: Environment): Approval {
  const text = annotations?.[approvalAnnotation(environment)] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  const url = parseUrlParts(text);
  return url !== undefined && url.scheme !== "" && url.host !== "" ? "approved" : "invalid";
}

/** An unchanged approval is not checked again, so that an update of other fields does not fail because of it. */
export function validateApproval(
  definition: Approvable,
  old: Approvable | undefined,
  environment: Environment,
): FieldError[] {
  if (!isProtectedGroup(definition.spec.group, environment)) return [];
  const approval = approvalOf(definition.metadata, environment);
  if (old !== undefined && approvalOf(old.metadata, environment) === approval) return [];
  const key = approvalAnnotation(environment);
  const path = `metadata.annotations[${key}]`;
  const detail = `must be the address of the approval, or begin with "unapproved"`;
  if (approval === "missing") return [required(path, detail)];
  return approval === "invalid" ? [invalid(path, definition.metadata.annotations?.[key], detail)] : [];
}
