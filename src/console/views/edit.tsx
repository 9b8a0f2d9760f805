/** Editing the YAML of an object: the server tries it first and says what would change, then it is saved. */

import { useEffect, useState } from "preact/hooks";
import { unifiedDiff } from "../../base/unified-diff.ts";
import { isConflict } from "../../client/requests/refusals.ts";
import { readYaml, writeYaml } from "../server/objects.ts";
import { documentsIn } from "../state/documents.ts";
import { openDrafts } from "../state/drafts.ts";
import { serverProblems } from "../state/problems.ts";
import { objectOf } from "../state/route.ts";
import { withoutManagedFields } from "../state/yaml-text.ts";
import { useDescribed, useSchemaProblems } from "./described.ts";
import { DiffView } from "./diff-view.tsx";
import { Merge } from "./merge.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { ObjectOptions } from "./object/use-object.ts";
import { ProblemList } from "./problem-list.tsx";
import { TextAndForm } from "./text-and-form.tsx";
import { isSecret } from "./yaml-view.tsx";

/** What the server said about one text. */
interface Trial {
  readonly draft: string;
  readonly diff: string;
  readonly error: unknown;
}

export function Edit({ page, resource, namespace, name }: ObjectOptions) {
  const [isAgreed, setAgreed] = useState(!isSecret(resource));
  const edited = useEdited({ page, resource, namespace, name }, isAgreed);
  const { base, draft, trial, theirs, error, isKept, isBusy, change, load, tryIt, save, merged } = edited;
  const described = useDescribed(page);
  const isTried = trial !== undefined && trial.draft === draft;
  const isFine = isTried && trial.error === undefined;
  const refusal = isTried && theirs === undefined ? trial.error : undefined;
  const [document] = documentsIn(draft);
  const refused = refusal === undefined || document === undefined ? [] : serverProblems(document, refusal);
  const problems = [...useSchemaProblems(draft, described), ...refused];
  return (
    <article>
      <p class="path">
        <a href={objectOf(resource, { namespace, name })}>Back to the object</a>
      </p>
      <h1>
        Edit {resource.kind} <bdi>{name}</bdi>
      </h1>
      {!isAgreed && (
        <p class="note warning">
          The text will show the values of the secret.{" "}
          <button type="button" onClick={() => setAgreed(true)}>
            Show and edit
          </button>
        </p>
      )}
      {isAgreed && base === undefined && error === undefined && <Waiting what={name} />}
      {base !== undefined && (
        <>
          {isKept && (
            <p class="note warning">
              This is your draft from before.{" "}
              <button type="button" onClick={() => load({ isFresh: true })}>
                Discard it
              </button>
            </p>
          )}
          <TextAndForm
            value={draft}
            onChange={change}
            onSubmit={() => void (isFine ? save() : tryIt())}
            described={described}
            problems={problems}
          />
          <div class="tools">
            <button type="button" disabled={isBusy || draft === base} onClick={tryIt}>
              Try <kbd>Ctrl Enter</kbd>
            </button>
            <button type="button" class="main" disabled={isBusy || !isFine || trial?.diff === ""} onClick={save}>
              Save
            </button>
            {!isFine && <small>The server tries a change before it can be saved.</small>}
          </div>
          <ProblemList problems={problems} />
        </>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {refusal !== undefined && document === undefined && <ErrorNote error={refusal} />}
      {theirs !== undefined && base !== undefined && (
        <Merge base={base} mine={draft} theirs={theirs} onMerged={merged} onDrop={() => load({ isFresh: true })} />
      )}
      {isFine && (
        <section aria-live="polite">
          <h2>What would change</h2>
          {trial.diff === "" ? <p>nothing</p> : <DiffView diff={trial.diff} />}
        </section>
      )}
    </article>
  );
}

/** The text that is edited, what it was made of, and what the server says about it. `isAgreed`: it may be read. */
function useEdited({ page, resource, namespace, name }: ObjectOptions, isAgreed: boolean) {
  /** What the draft was made of. */
  const [base, setBase] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState("");
  const [trial, setTrial] = useState<Trial | undefined>(undefined);
  /** What is there now, after a conflict. */
  const [theirs, setTheirs] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const ref = { namespace, name };
  const drafts = openDrafts(
    [resource.group, resource.version, resource.resource, namespace, name],
    !isSecret(resource),
  );
  const read = async () => withoutManagedFields(await readYaml(page.connection, resource, ref));
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  };
  const change = (text: string, from = base ?? "") => {
    setDraft(text);
    drafts.keep({ text, base: from });
  };
  const load = ({ isFresh }: { readonly isFresh: boolean }) =>
    attempt(async () => {
      const yaml = await read();
      if (isFresh) drafts.drop();
      const kept = drafts.kept();
      setBase(kept?.base ?? yaml);
      setDraft(kept?.text ?? yaml);
      setKept(kept !== undefined);
      setTrial(undefined);
      setTheirs(undefined);
    });
  useEffect(() => {
    if (isAgreed) void load({ isFresh: false });
  }, [isAgreed]);
  /** A refusal is about the text; a conflict is about the object. */
  const send = (isDryRun: boolean, then: (result: string) => void) =>
    attempt(async () => {
      try {
        then(await writeYaml(page.connection, resource, ref, { content: draft, isDryRun }));
      } catch (failure) {
        setTrial({ draft, diff: "", error: failure });
        if (isConflict(failure)) setTheirs(await read());
      }
    });
  const tryIt = () =>
    send(true, (result) =>
      setTrial({ draft, diff: unifiedDiff(base ?? "", withoutManagedFields(result)), error: undefined }),
    );
  const save = () =>
    send(false, () => {
      drafts.drop();
      if (base !== undefined) page.writes.made({ what: "Saved", resource, namespace, name, before: base });
      location.hash = objectOf(resource, ref);
    });
  const merged = (text: string) => {
    setBase(theirs);
    change(text, theirs);
    setTheirs(undefined);
    setTrial(undefined);
  };
  return { base, draft, trial, theirs, error, isKept, isBusy, change, load, tryIt, save, merged };
}
