/** Subjects of bindings in v1alpha1: they name an API version where later versions name a group. */

import { elided, type Static, string, struct } from "../../../machinery/schema/build.ts";
import type { Environment } from "../../../machinery/schema/environment.ts";
import type { Subject as HubSubject } from "../v1/rules.ts";

export const Subject = struct(
  "rbac.v1alpha1.Subject",
  {
    kind: string().at(1).doc("The kind of the subject: User, Group or ServiceAccount. Required."),
    apiVersion: elided(string())
      .at(2)
      .doc("The API version of the subject. Default: v1 for service accounts, the version of the binding for others."),
    name: string().at(3).doc("The name of the user, group or service account. Required."),
    namespace: elided(string()).at(4).doc("The namespace of a service account; must be empty for users and groups."),
  },
  {
    defaults(subject, environment) {
      const usual = apiVersionOf(subject.kind, environment);
      if (!subject.apiVersion && usual !== undefined) subject.apiVersion = usual;
    },
  },
);
export type Subject = Static<typeof Subject>;

export function subjectToHub({ apiVersion, ...same }: Subject, { vocabulary }: Environment): HubSubject {
  const group = vocabulary.group("rbac.authorization.orch.io");
  // In this version the user "*" was every user that authenticated.
  if (same.kind === "User" && same.name === "*")
    return { ...same, apiGroup: group, kind: "Group", name: "system:authenticated" };
  if (same.kind === "User" || same.kind === "Group") return { ...same, apiGroup: group };
  const apiGroup = apiVersion?.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return same.kind === "ServiceAccount" || apiGroup === "" ? same : { ...same, apiGroup };
}

export function subjectFromHub({ apiGroup: _, ...same }: HubSubject, environment: Environment): Subject {
  const apiVersion = apiVersionOf(same.kind, environment);
  return apiVersion === undefined ? same : { ...same, apiVersion };
}

function apiVersionOf(kind: string, { vocabulary }: Environment): string | undefined {
  if (kind === "ServiceAccount") return "v1";
  return kind === "User" || kind === "Group" ? `${vocabulary.group("rbac.authorization.orch.io")}/v1alpha1` : undefined;
}
