/** What the server says about each document: what would change, what is wrong, and which fields others own. */

import type { Outcome } from "../state/apply-documents.ts";
import { fieldConflictsIn } from "../state/field-conflicts.ts";
import { objectOf } from "../state/route.ts";
import { DiffView } from "./diff-view.tsx";

interface OutcomesOptions {
  readonly outcomes: readonly Outcome[];
  readonly onForce: (outcome: Outcome) => void;
  readonly onLeave: (outcome: Outcome, field: string) => void;
}

export const Outcomes = ({ outcomes, onForce, onLeave }: OutcomesOptions) => (
  <section aria-live="polite">
    <h2>What would change</h2>
    {outcomes.length === 0 && <p>There is no object in the text.</p>}
    {outcomes.map((outcome) => (
      <fieldset key={outcome.document.from}>
        <legend>
          <Title outcome={outcome} />
        </legend>
        {outcome.waitsFor !== undefined && <p>It is tried when its {outcome.waitsFor} is there.</p>}
        {outcome.error === undefined &&
          outcome.waitsFor === undefined &&
          (outcome.diff === "" ? <p>nothing</p> : <DiffView diff={outcome.diff} />)}
        {outcome.error !== undefined && <Refused outcome={outcome} onForce={onForce} onLeave={onLeave} />}
      </fieldset>
    ))}
  </section>
);

function Title({ outcome: { document, resource, namespace, isThere } }: { readonly outcome: Outcome }) {
  const { kind, name } = document;
  const label = `${kind} ${name}`;
  return (
    <>
      {isThere && resource !== undefined ? <a href={objectOf(resource, { name, namespace })}>{label}</a> : label}
      {namespace !== "" && ` in ${namespace}`}
    </>
  );
}

interface RefusedOptions extends Pick<OutcomesOptions, "onForce" | "onLeave"> {
  readonly outcome: Outcome;
}

function Refused({ outcome, onForce, onLeave }: RefusedOptions) {
  const conflicts = fieldConflictsIn(outcome.error);
  if (conflicts.length === 0) return <p class="bad">refused, for the reasons above</p>;
  return (
    <>
      <p>Others own these fields, and want other values:</p>
      <ul>
        {conflicts.map(({ field, message }) => (
          <li key={field}>
            <code>{field}</code> <bdi>{message}</bdi>{" "}
            <button type="button" onClick={() => onLeave(outcome, field)}>
              Leave {field} to them
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="danger" onClick={() => onForce(outcome)}>
        Force my values
      </button>
    </>
  );
}
