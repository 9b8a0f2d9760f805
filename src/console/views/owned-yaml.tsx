/** YAML in which every line shows who owns it, and since when. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../server/json.ts";
import { type Manager, ownershipOf } from "../state/ownership.ts";
import { ageOf } from "../state/rows.ts";
import { yamlLines } from "../state/yaml-lines.ts";
import { foldsOf, spansOf } from "../state/yaml-spans.ts";
import { Time } from "./time.tsx";
import { Wide } from "./wide.tsx";

/** Longer texts are shown without owners, in a text field: each line is several elements. */
const ownedLinesMax = 5_000;
/** Managers have one of so many colours in app.css. */
const coloursMax = 6;

interface OwnedYamlOptions {
  readonly object: Json;
  readonly yaml: string;
  /** The lines that a search has found; while there are any nothing is folded. */
  readonly found: readonly number[];
  /** Which of them is looked at. */
  readonly foundAt: number;
}

export function OwnedYaml({ object, yaml, found, foundAt }: OwnedYamlOptions) {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const { managers, ownersOf } = useMemo(() => ownershipOf(object), [object]);
  const lines = useMemo(() => yamlLines(yaml.replace(/\n$/, "")), [yaml]);
  const folds = useMemo(() => foldsOf(lines), [lines]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(folded);
    if (!next.delete(key)) next.add(key);
    setFolded(next);
  };
  const looked = useRef<HTMLTableRowElement>(null);
  const lookedAt = found[foundAt];
  useEffect(() => looked.current?.scrollIntoView({ block: "nearest" }), [lookedAt]);
  const isFound = useMemo(() => new Set(found), [found]);
  if (lines.length > ownedLinesMax)
    return <textarea class="yaml" aria-label="YAML of the object" readOnly rows={30} spellcheck={false} value={yaml} />;
  const now = Date.now();
  let before = "";
  let hiddenTo = 0;
  return (
    <>
      <Managers managers={managers} chosen={chosen} onChoose={setChosen} />
      <Wide label="YAML with the owner of each line">
        <table class="owned">
          <thead>
            <tr>
              <th scope="col">Owner</th>
              <th scope="col">
                <span class="unseen">Fold</span>
              </th>
              <th scope="col">YAML</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => {
              const { text, path, role } = line;
              if (at < hiddenTo) return null;
              const end = folds.get(at);
              const key = `${path.join("\n")} ${role}`;
              const isFolded = end !== undefined && found.length === 0 && folded.has(key);
              if (isFolded) hiddenTo = end;
              const owners = role === "none" ? [] : ownersOf(path);
              const names = owners.map((one) => managers[one]).filter((one) => one !== undefined);
              const label = names.map((one) => `${one.name} ${sinceOf(one, now)}`.trim()).join(", ");
              const isSame = label === before;
              before = label;
              const isDim = chosen !== undefined && !owners.includes(chosen);
              const classes = [isDim && "dim", isFound.has(at) && "found", at === lookedAt && "looked"];
              return (
                <tr
                  key={at}
                  class={classes.filter(Boolean).join(" ") || undefined}
                  ref={at === lookedAt ? looked : null}
                >
                  <td class={`owner ${classOf(owners[0])}`} title={names.map(describe).join("\n")}>
                    {isSame ? <span class="again">{label}</span> : label}
                  </td>
                  <td class="fold">
                    {end !== undefined && (
                      <button
                        type="button"
                        aria-expanded={!isFolded}
                        aria-label={`${isFolded ? "Unfold" : "Fold"} line ${at + 1}`}
                        onClick={() => toggle(key)}
                      >
                        <span aria-hidden="true">{isFolded ? "▸" : "▾"}</span>
                      </button>
                    )}
                  </td>
                  <td class="line">
                    {text === ""
                      ? " "
                      : spansOf(line).map((span, place) => (
                          <span key={place} class={`code-${span.kind}`}>
                            {span.text}
                          </span>
                        ))}
                    {isFolded && <small> … {end - at - 1} lines</small>}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
    </>
  );
}

const classOf = (manager: number | undefined): string => (manager === undefined ? "" : `owner-${manager % coloursMax}`);

const sinceOf = ({ time }: Manager, nowMs: number): string => (time === "" ? "" : ageOf(Date.parse(time) || 0, nowMs));

const describe = ({ name, operation, subresource, time }: Manager): string =>
  `${name}, ${operation}${subresource === "" ? "" : ` of ${subresource}`}, ${time || "at an unknown time"}`;

interface ManagersOptions {
  readonly managers: readonly Manager[];
  readonly chosen: number | undefined;
  readonly onChoose: (manager: number | undefined) => void;
}

/** The legend; a press shows the lines of one manager. */
function Managers({ managers, chosen, onChoose }: ManagersOptions) {
  if (managers.length === 0) return <p class="note">The server does not tell who owns which field.</p>;
  return (
    <ul class="managers" aria-label="Managers of fields">
      {managers.map((manager, at) => (
        <li key={at}>
          <button
            type="button"
            class={`owner ${classOf(at)}`}
            aria-pressed={chosen === at}
            onClick={() => onChoose(chosen === at ? undefined : at)}
          >
            <bdi>{manager.name || "unknown"}</bdi>{" "}
            <small>
              {manager.operation}
              {manager.subresource !== "" && ` of ${manager.subresource}`} <Time value={manager.time} />
            </small>
          </button>
        </li>
      ))}
    </ul>
  );
}
