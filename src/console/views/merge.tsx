/** After a conflict: what both have changed, and whose lines are taken where they are the same ones. */

import { useMemo, useState } from "preact/hooks";
import { type MergePart, mergedText, mergeTexts } from "../state/merge.ts";

interface MergeOptions {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  readonly onMerged: (text: string) => void;
  readonly onDrop: () => void;
}

export function Merge({ base, mine, theirs, onMerged, onDrop }: MergeOptions) {
  const merged = useMemo(() => mergeTexts(base, mine, theirs), [base, mine, theirs]);
  const conflicts = merged.filter((part): part is Extract<MergePart, { isConflict: true }> => part.isConflict);
  const [isMine, setMine] = useState<readonly boolean[]>([]);
  const choose = (at: number, value: boolean) =>
    setMine(conflicts.map((_one, i) => (i === at ? value : isMine[i] !== false)));
  return (
    <section aria-live="polite">
      <h2>The object has changed since you began</h2>
      {conflicts.length === 0 && <p>Your changes and theirs are in different lines, and can be put together.</p>}
      {conflicts.map((conflict, at) => (
        <fieldset key={at}>
          <legend>Both have changed this</legend>
          <Side
            name={`merge-${at}`}
            label="Force mine"
            lines={conflict.mine}
            isChosen={isMine[at] !== false}
            onChoose={() => choose(at, true)}
          />
          <Side
            name={`merge-${at}`}
            label="Leave theirs"
            lines={conflict.theirs}
            isChosen={isMine[at] === false}
            onChoose={() => choose(at, false)}
          />
        </fieldset>
      ))}
      <div class="tools">
        <button type="button" class="main" onClick={() => onMerged(mergedText(merged, isMine))}>
          Put both together
        </button>
        <button type="button" onClick={onDrop}>
          Drop my text
        </button>
      </div>
    </section>
  );
}

interface SideOptions {
  readonly name: string;
  readonly label: string;
  readonly lines: readonly string[];
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Side = ({ name, label, lines, isChosen, onChoose }: SideOptions) => (
  <div>
    <label>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} /> {label}
    </label>
    <pre class="diff">{lines.length === 0 ? "(the lines are removed)" : lines.join("\n")}</pre>
  </div>
);
