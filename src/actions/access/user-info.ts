/** A user as reviews show it; empty members are left out. */

import type { UserInfo } from "../../api/authentication/v1/token-review.ts";
import type { User } from "../../machinery/meta/user.ts";

export function userInfo({ name, uid, groups, extra }: User): UserInfo {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra.size === 0 ? {} : { extra: extraOf(extra) }),
  };
}

/** Keys come from credentials, so a key may be `__proto__`: entries are defined, not assigned. */
function extraOf(extra: User["extra"]): Record<string, string[]> {
  return Object.fromEntries([...extra].map(([key, values]) => [key, [...values]]));
}
