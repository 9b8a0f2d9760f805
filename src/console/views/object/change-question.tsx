/** Asks before a change is taken back, or an object made what it was: with the difference, which the server has tried. */

import { useEffect, useState } from "preact/hooks";
import { unifiedDiff } from "../../../base/unified-diff.ts";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { restored, revisionBefore, withoutChange } from "../../../operations/past.ts";
import { readRevision } from "../../server/history.ts";
import { isJson, type Json, text } from "../../server/json.ts";
import { readObject, readYaml, writeYaml } from "../../server/objects.ts";
import { withoutVersion } from "../../state/last-write.ts";
import { withoutManagedFields } from "../../state/yaml-text.ts";
import { DiffView } from "../diff-view.tsx";
import { ErrorNote, Waiting } from "../notes.tsx";
import type { Page } from "../page.ts";
import { Question } from "../question.tsx";
import { isSecret } from "../yaml-view.tsx";

export interface Asking {
  readonly change: Json;
  /** Take this change back, or make the object what it was after it. */
  readonly act: "undo" | "restore";
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}

interface ChangeQuestionOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly target: Named;
  readonly asking: Asking;
  readonly onClose: () => void;
}

interface Trial {
  readonly before: string;
  readonly content: string;
  readonly diff: string;
}

export function ChangeQuestion({ page, resource, target, asking, onClose }: ChangeQuestionOptions) {
  const { connection } = page;
  const [trial, setTrial] = useState<Trial | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const isUndo = asking.act === "undo";
  useEffect(() => {
    const tryIt = async () => {
      const before = await readYaml(connection, resource, target);
      const now = await readObject(connection, resource, target);
      const content = JSON.stringify(await wantedOf(page, resource, target, asking, now));
      const after = await writeYaml(connection, resource, target, { content, isDryRun: true });
      const [from, to] = [before, after].map((yaml) => withoutVersion(withoutManagedFields(yaml)));
      setTrial({ before: withoutManagedFields(before), content, diff: unifiedDiff(from ?? "", to ?? "") });
    };
    tryIt().catch(setError);
  }, []);
  const confirm = async () => {
    if (trial === undefined || trial.diff === "") return;
    await writeYaml(connection, resource, target, { content: trial.content, isDryRun: false });
    page.writes.made({ what: isUndo ? "Undid a change of" : "Restored", resource, ...target, before: trial.before });
  };
  return (
    <Question
      title={isUndo ? `Undo a change of ${target.name}` : `Restore ${target.name}`}
      act={isUndo ? "Undo it" : "Restore it"}
      isDisabled={trial === undefined || trial.diff === ""}
      onConfirm={confirm}
      onClose={onClose}
    >
      {error !== undefined && <ErrorNote error={error} />}
      {trial === undefined && error === undefined && <Waiting what={target.name} />}
      {trial?.diff === "" && <p>It is so already: nothing would change.</p>}
      {trial !== undefined && trial.diff !== "" && (
        <>
          <p>
            {isUndo
              ? "What others have changed since stays. The server has tried it:"
              : "Labels, annotations and all fields but the status become what they were. The server has tried it:"}
          </p>
          {isSecret(resource) ? (
            <p class="note">The values of a secret are not shown.</p>
          ) : (
            <DiffView diff={trial.diff} />
          )}
        </>
      )}
    </Question>
  );
}

async function wantedOf(
  { connection }: Page,
  resource: DiscoveredResource,
  target: Named,
  { change, act }: Asking,
  now: Json,
): Promise<Json> {
  const revision = text(change, "metadata", "name");
  const after = await readRevision(connection, resource, target, revision);
  if (!isJson(after)) throw new Error("the state after this change is no longer kept");
  if (act === "restore") return restored(now, after);
  const before = await readRevision(connection, resource, target, revisionBefore(revision));
  if (!isJson(before)) throw new Error("the state before this change is no longer kept");
  const { object, conflicts } = withoutChange({ before, after, now });
  if (conflicts.length > 0) throw new Error(`${conflicts.join(", ")} changed again since: undo that first, or restore`);
  return object;
}
