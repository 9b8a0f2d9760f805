/** Has no opinion on anything, so that everything is denied unless another module allows it; for tests. */

import type { Authorizer, RulesAnswer } from "./contract.ts";

const nothing: RulesAnswer = { resourceRules: [], nonResourceRules: [], incomplete: false };

export const alwaysDeny: Authorizer = {
  name: "AlwaysDeny",
  authorize: () => ({ outcome: "none", reason: "Everything is forbidden." }),
  rulesFor: () => nothing,
};
