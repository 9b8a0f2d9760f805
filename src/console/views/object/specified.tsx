/** What an object says, field by field: of kinds that have no part of the page for themselves, custom ones too. */

import type { Json } from "../../server/json.ts";
import { statedFields } from "../../state/stated-fields.ts";
import { Fact } from "../summary.tsx";

/** The YAML has all of them. */
const shownFieldsMax = 40;

export function Specified({ object }: { readonly object: Json }) {
  const fields = statedFields(object, shownFieldsMax + 1);
  if (fields.length === 0) return null;
  return (
    <section>
      <h2>What it says</h2>
      <dl class="summary stated">
        {fields.slice(0, shownFieldsMax).map(({ path, value }) => (
          <Fact key={path} name={path}>
            <bdi>{value}</bdi>
          </Fact>
        ))}
      </dl>
      {fields.length > shownFieldsMax && <p class="note">The YAML has the other fields.</p>}
    </section>
  );
}
