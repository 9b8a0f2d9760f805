/** Editing the YAML of an object: the server tries it first and says what would change, then it is saved. */

import { useEffect, useState } from "preact/hooks";
import { unifiedDiff } from "../../base/unified-diff.ts";
import { isConflict } from "../../client/requests/refusals.ts";
import { readYaml, writeYaml } from "../server/objects.ts";
import { openDrafts } from "../state/drafts.ts";
import { objectOf } from "../state/route.ts";
import { versionIn, withoutManagedFields, withVersion } from "../state/yaml-text.ts";
import { DiffView } from "./diff-view.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { ObjectOptions } from "./object.tsx";
import { isSecret } from "./yaml-view.tsx";

/** What the server said about one text. */
interface Trial {
  readonly draft: string;
  readonly diff: string;
}

export function Edit({ page, resource, namespace, name }: ObjectOptions) {
  const [live, setLive] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState("");
  const [trial, setTrial] = useState<Trial | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [isAgreed, setAgreed] = useState(!isSecret(resource));
  const ref = { namespace, name };
  const read = async () => withoutManagedFields(await readYaml(page.connection, resource, ref));
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  };
  const drafts = openDrafts({ ...resource, ...ref }, !isSecret(resource));
  const change = (text: string) => {
    setDraft(text);
    drafts.keep(text);
  };
  const load = ({ isFresh }: { readonly isFresh: boolean }) =>
    attempt(async () => {
      const yaml = await read();
      if (isFresh) drafts.drop();
      const kept = drafts.kept();
      setLive(yaml);
      setDraft(kept ?? yaml);
      setKept(kept !== undefined);
      setTrial(undefined);
    });
  useEffect(() => {
    if (isAgreed) void load({ isFresh: false });
  }, [isAgreed]);
  const tryIt = () =>
    attempt(async () => {
      const result = await writeYaml(page.connection, resource, ref, { content: draft, isDryRun: true });
      setTrial({ draft, diff: unifiedDiff(live ?? "", withoutManagedFields(result)) });
    });
  const save = () =>
    attempt(async () => {
      await writeYaml(page.connection, resource, ref, { content: draft, isDryRun: false });
      drafts.drop();
      location.hash = objectOf(resource, ref);
    });
  const rebase = () =>
    attempt(async () => {
      const yaml = await read();
      setLive(yaml);
      change(withVersion(draft, versionIn(yaml)));
      setTrial(undefined);
    });
  const isTried = trial !== undefined && trial.draft === draft;
  return (
    <article>
      <p class="path">
        <a href={objectOf(resource, ref)}>Back to the object</a>
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
      {isAgreed && live === undefined && error === undefined && <Waiting what={name} />}
      {live !== undefined && (
        <>
          {isKept && (
            <p class="note warning">
              This is your draft from before.{" "}
              <button type="button" onClick={() => load({ isFresh: true })}>
                Discard it
              </button>
            </p>
          )}
          <textarea
            class="yaml"
            aria-label="YAML"
            spellcheck={false}
            autocomplete="off"
            rows={24}
            value={draft}
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void (isTried ? save() : tryIt());
            }}
          />
          <div class="tools">
            <button type="button" disabled={isBusy || draft === live} onClick={tryIt}>
              Try <kbd>Ctrl Enter</kbd>
            </button>
            <button type="button" class="main" disabled={isBusy || !isTried || trial?.diff === ""} onClick={save}>
              Save
            </button>
            {!isTried && <small>The server tries a change before it can be saved.</small>}
          </div>
        </>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {isConflict(error) && (
        <div class="tools">
          <button type="button" onClick={rebase}>
            Keep my text, over the version that is there now
          </button>
          <button type="button" onClick={() => load({ isFresh: true })}>
            Drop my text and start from the version that is there now
          </button>
        </div>
      )}
      {isTried && (
        <section aria-live="polite">
          <h2>What would change</h2>
          {trial.diff === "" ? <p>nothing</p> : <DiffView diff={trial.diff} />}
        </section>
      )}
    </article>
  );
}
