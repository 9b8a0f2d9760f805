/** Relations between the fields of rules, and of subjects. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
import { on, type Relation } from "../../../machinery/schema/constraints.ts";
import { need, refuse } from "../../../machinery/schema/relations.ts";
import { each, noErrors, notSupported } from "../../../machinery/status/field-error.ts";
import { PolicyRule, rbacGroup, Subject } from "./rules.ts";

type Scope = "namespace" | "cluster";

const hasUrls = ({ nonResourceURLs }: PolicyRule): boolean => Boolean(nonResourceURLs?.length);
const namesResources = ({ apiGroups, resources, resourceNames }: PolicyRule): boolean =>
  [apiGroups, resources, resourceNames].some((list) => list?.length);

export const roleRelations = (scope: Scope): readonly Relation[] => [
  refuse(
    PolicyRule,
    "nonResourceURLs",
    "namespaced rules cannot apply to non-resource URLs",
    (rule) => hasUrls(rule) && scope === "namespace",
  ),
  refuse(
    PolicyRule,
    "nonResourceURLs",
    "rules cannot apply to both regular resources and non-resource URLs",
    (rule) => hasUrls(rule) && namesResources(rule),
  ),
  need(PolicyRule, "apiGroups", "resource rules must supply at least one api group", (rule) => !hasUrls(rule)),
  need(PolicyRule, "resources", "resource rules must supply at least one resource", (rule) => !hasUrls(rule)),
];

/** Users and groups are of the group of RBAC, service accounts of the core group. */
export const bindingRelations = (scope: Scope): readonly Relation[] => [
  on(Subject, ({ kind, name }) =>
    kind === "ServiceAccount" && name !== "" ? each(isDns1123Subdomain(name), "name", name) : noErrors,
  ),
  on(Subject, ({ kind, apiGroup = "" }, { vocabulary }) => {
    if (kind !== "User" && kind !== "Group" && kind !== "ServiceAccount") return noErrors;
    const group = kind === "ServiceAccount" ? "" : vocabulary.group(rbacGroup);
    return apiGroup === group ? noErrors : [notSupported("apiGroup", apiGroup, [group])];
  }),
  need(Subject, "namespace", "", ({ kind }) => kind === "ServiceAccount" && scope === "cluster"),
];
