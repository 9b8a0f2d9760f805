/** How many rows are in which state. A press shows these alone, with a word of the filter, so that the address can be shared. */

import { useMemo } from "preact/hooks";
import { type HealthState, healthStates } from "../../operations/health.ts";
import type { TableState } from "../server/tables.ts";
import { stateFilterOf, statesOf, withStateFilter } from "../state/rows.ts";
import { StateIcon, stateWord } from "./status.tsx";

interface StateChipsOptions {
  readonly table: TableState;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

export function StateChips({ table, filter, onFilter }: StateChipsOptions) {
  const counts = useMemo(() => statesOf(table.rows, table.columns), [table.rows, table.columns]);
  const pressed = stateFilterOf(filter);
  const present = healthStates.filter((state) => (counts.get(state) ?? 0) > 0 || state === pressed);
  if (present.length === 0) return null;
  const press = (state: HealthState) => onFilter(withStateFilter(filter, state === pressed ? undefined : state));
  return (
    <fieldset class="states" aria-label="States">
      {present.map((state) => (
        <button
          type="button"
          key={state}
          class={`is-${state}`}
          aria-pressed={state === pressed}
          onClick={() => press(state)}
        >
          <StateIcon state={state} />
          <strong>{counts.get(state) ?? 0}</strong> {stateWord(state)}
        </button>
      ))}
    </fieldset>
  );
}
