/** Allows everything; for clusters without authorization. */

import type { Authorizer, RulesAnswer } from "./contract.ts";

const everything: RulesAnswer = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

export const alwaysAllow: Authorizer = {
  name: "AlwaysAllow",
  authorize: () => ({ outcome: "allow", reason: "" }),
  rulesFor: () => everything,
};
