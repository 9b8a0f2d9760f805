/** Lets members of the masters group do anything, whatever the other modules say; the way in when all other access is lost. */

import type { Authorizer, RulesAnswer } from "./contract.ts";

/** What masters may do is shown by the role they are bound to, not by this module. */
const nothing: RulesAnswer = { resourceRules: [], nonResourceRules: [], incomplete: false };

export const mastersGroup = "system:masters";

export const masters: Authorizer = {
  name: "Masters",
  authorize: ({ user }) =>
    user.groups.includes(mastersGroup) ? { outcome: "allow", reason: "" } : { outcome: "none", reason: "" },
  rulesFor: () => nothing,
};
