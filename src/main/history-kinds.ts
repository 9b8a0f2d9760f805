/** `--history-kinds`: which kinds a history leaves out. */

import type { FamilyId } from "../machinery/schema/identity.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { customFamily, familiesByName } from "./family-names.ts";

/** "-pods", "-deployments.apps", "-widgets.example.com". Throws Error with what is wrong. */
export function leftOutKinds(given: readonly string[], vocabulary: Vocabulary): ReadonlySet<FamilyId> {
  const names = familiesByName(vocabulary);
  return new Set(
    given.map((text) => {
      const name = text.slice(1);
      if (!text.startsWith("-") || !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name))
        throw new Error(
          `must be resources that are left out, like -pods or -widgets.example.com, not ${JSON.stringify(text)}`,
        );
      const known = names.get(name);
      // A definition may come later.
      if (known === undefined && !name.includes("."))
        throw new Error(
          `there is no resource "${name}"; one of a group is named like deployments.${vocabulary.group("apps")}`,
        );
      return known ?? customFamily(name);
    }),
  );
}
