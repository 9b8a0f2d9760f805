/** Does the same to several objects of one kind, after the server has tried it and said what would change in each. */

import { useState } from "preact/hooks";
import { unifiedDiff } from "../../base/unified-diff.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import { objectPath } from "../../client/requests/address.ts";
import { isJson, type Json } from "../server/json.ts";
import { patchObject, readYaml, tryPatch } from "../server/objects.ts";
import type { Row } from "../server/tables.ts";
import { actsOn } from "../state/acts.ts";
import { bulkActs, patchOf } from "../state/bulk-acts.ts";
import { withoutVersion } from "../state/last-write.ts";
import { withoutManagedFields } from "../state/yaml-text.ts";
import { Dialog } from "./dialog.tsx";
import { DiffView } from "./diff-view.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { isSecret } from "./yaml-view.tsx";

interface BulkActOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly rows: readonly Row[];
  readonly onClose: () => void;
}

/** What the server said about one object. */
interface BulkTrial {
  readonly row: Row;
  /** Undefined: it is not offered for the object as it is. */
  readonly patch: Json | undefined;
  readonly diff: string;
  readonly problem: string;
}

export function BulkAct({ page, resource, rows, onClose }: BulkActOptions) {
  const acts = bulkActs(resource);
  const [act, setAct] = useState(acts[0] ?? "");
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  const words = patchOf(act, key.trim(), value.trim());
  const { trials, progress, error, preview, apply, forget } = useTrials({ page, resource, rows, onClose });
  const change = (set: (value: string) => void) => (event: { readonly currentTarget: { readonly value: string } }) => {
    set(event.currentTarget.value);
    forget();
  };
  const changing = trials?.filter(({ diff }) => diff !== "").length ?? 0;
  const isTried = changing > 0;
  return (
    <Dialog title={`Change ${rows.length} ${resource.resource}`} onClose={onClose}>
      <form
        class="bulk"
        onSubmit={(event) => {
          event.preventDefault();
          void (isTried ? apply() : preview(words.patch, act));
        }}
      >
        <div class="fields-row">
          <label>
            What
            <select value={act} onChange={change(setAct)}>
              {acts.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          {words.hasKey && <WordField label="Key" value={key} onInput={change(setKey)} required />}
          {words.hasValue && <WordField label="Value" value={value} onInput={change(setValue)} />}
        </div>
        {error !== undefined && <ErrorNote error={error} />}
        {trials !== undefined && <Trials trials={trials} isHidden={isSecret(resource)} />}
        <div class="tools">
          <span class="count" role="status">
            {progress ?? (trials === undefined ? "" : `${changing} of ${trials.length} would change`)}
          </span>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={progress !== undefined}>
            {isTried ? `Change ${changing} objects` : "Preview"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the server said about each object, and the work that finds it out or acts on it. */
function useTrials({ page, resource, rows, onClose }: BulkActOptions) {
  const [trials, setTrials] = useState<readonly BulkTrial[] | undefined>(undefined);
  const [progress, setProgress] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const forEach = async (what: string, items: readonly Row[], work: (row: Row) => Promise<void>) => {
    setError(undefined);
    try {
      for (const [at, item] of items.entries()) {
        setProgress(`${what} ${at + 1} of ${items.length} …`);
        await work(item);
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setProgress(undefined);
    }
  };
  const preview = async (given: Json | undefined, act: string) => {
    const found: BulkTrial[] = [];
    await forEach("Trying", rows, async (row) => {
      found.push(await tryOne({ page, resource, row }, given, act));
    });
    setTrials(found);
  };
  const apply = async () => {
    const left = (trials ?? []).filter(({ diff }) => diff !== "");
    const failed: BulkTrial[] = [];
    await forEach(
      "Changing",
      left.map(({ row }) => row),
      async (row) => {
        const trial = left.find((one) => one.row === row);
        if (trial?.patch === undefined) return;
        await patchObject(page.connection, resource, row, trial.patch).catch((failure: unknown) =>
          failed.push({ ...trial, diff: "", problem: messageOf(failure) }),
        );
      },
    );
    if (failed.length === 0) onClose();
    else setTrials(failed);
  };
  return { trials, progress, error, preview, apply, forget: () => setTrials(undefined) };
}

interface WordFieldOptions {
  readonly label: string;
  readonly value: string;
  readonly required?: boolean;
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
}

function WordField({ label, value, required = false, onInput }: WordFieldOptions) {
  return (
    <label>
      {label}
      <input required={required} value={value} spellcheck={false} onInput={onInput} />
    </label>
  );
}

/** `isHidden`: values are not shown. */
function Trials({ trials, isHidden }: { readonly trials: readonly BulkTrial[]; readonly isHidden: boolean }) {
  return (
    <ul class="trials">
      {trials.map(({ row, diff, problem }) => (
        <li key={row.key}>
          <details>
            <summary>
              <bdi>{row.name}</bdi>
              {row.namespace !== "" && <small> in {row.namespace}</small>}{" "}
              <span class={problem === "" ? "quiet" : "bad"}>
                <bdi>{problem || (diff === "" ? "nothing would change" : "would change")}</bdi>
              </span>
            </summary>
            {diff !== "" && !isHidden && <DiffView diff={diff} />}
          </details>
        </li>
      ))}
    </ul>
  );
}

interface Target {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly row: Row;
}

/** `given`: the same for all; undefined: what the act is for this object. */
async function tryOne({ page, resource, row }: Target, given: Json | undefined, act: string): Promise<BulkTrial> {
  const { connection, discovery } = page;
  try {
    const object = given === undefined ? await connection.send.json(objectPath(resource, row)) : {};
    const acts = isJson(object) ? actsOn(resource, object, discovery.vocabulary, Date.now()) : [];
    const patch = given ?? acts.find(({ name }) => name === act)?.patch;
    if (patch === undefined) return { row, patch, diff: "", problem: "" };
    const before = await readYaml(connection, resource, row);
    const after = await tryPatch(connection, resource, row, patch);
    const [old, fresh] = [before, after].map((text) => withoutVersion(withoutManagedFields(text)));
    return { row, patch, diff: unifiedDiff(old ?? "", fresh ?? ""), problem: "" };
  } catch (failure) {
    return { row, patch: undefined, diff: "", problem: messageOf(failure) };
  }
}

const messageOf = (failure: unknown): string => (failure instanceof Error ? failure.message : String(failure));
