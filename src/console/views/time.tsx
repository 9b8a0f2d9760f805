/** How long ago something was, with the time itself as its title. */

import { ageOf } from "../state/rows.ts";

export const Time = ({ value }: { readonly value: string }) =>
  value === "" ? null : (
    <time dateTime={value} title={value}>
      {ageOf(Date.parse(value) || 0, Date.now())} ago
    </time>
  );
