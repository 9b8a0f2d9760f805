/** The flags that ask a server more than selectors can. */

import type { FlagValues } from "../../base/flags/flag.ts";
import type { questionFlags } from "../flags/declared.ts";

/** Members that are undefined are not asked. A command without these flags has no value for them. */
export function questionOf(flags: Partial<FlagValues<typeof questionFlags>>) {
  return { where: flags.where || undefined, orderBy: flags["order-by"] || undefined };
}
