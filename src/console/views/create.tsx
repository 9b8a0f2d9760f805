/** New objects, or changes to several: from scratch, from a sample of a kind, or from a file. The server tries all of it first. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { readSchemas, type Schemas } from "../server/schemas.ts";
import { type Applier, applyDocument, type Outcome, tryDocument } from "../state/apply-documents.ts";
import { documentsIn } from "../state/documents.ts";
import { openDrafts } from "../state/drafts.ts";
import { serverProblems } from "../state/problems.ts";
import { createOf, objectOf } from "../state/route.ts";
import { sampleOf } from "../state/sample.ts";
import { yamlLines } from "../state/yaml-lines.ts";
import { findNode, withoutNode, yamlTree } from "../state/yaml-tree.ts";
import { useDescribed, useSchemaProblems } from "./described.ts";
import { KindField } from "./kind-field.tsx";
import { ErrorNote } from "./notes.tsx";
import { Outcomes } from "./outcomes.tsx";
import type { Page } from "./page.ts";
import { ProblemList } from "./problem-list.tsx";
import { TextAndForm } from "./text-and-form.tsx";

interface CreateOptions {
  readonly page: Page;
  /** A sample of it is the first text; undefined: the draft is. */
  readonly resource: DiscoveredResource | undefined;
  readonly namespace: string;
  /** The text of a file that was dropped; undefined: there was none. */
  readonly dropped: string | undefined;
}

interface Trial {
  readonly text: string;
  readonly outcomes: readonly Outcome[];
}

/** Larger files are not what somebody edits. */
const fileBytesMax = 1_000_000;

const draftOf = (text: string) => openDrafts(["create"], !/^\s*"?kind"?:\s*"?Secret\b/m.test(text));

export function Create({ page, resource, namespace, dropped }: CreateOptions) {
  const [text, setText] = useState(() => dropped ?? draftOf("").kept()?.text ?? "");
  const described = useDescribed(page);
  const applier = { ...page, namespace: namespace || page.connection.facts.namespace };
  const { trial, error, isBusy, attempt, tryAll, save, force } = useTrial(applier, text);
  const change = (next: string) => {
    setText(next);
    draftOf(next).keep({ text: next, base: "" });
  };
  useEffect(() => {
    if (dropped !== undefined) return change(dropped);
    if (resource === undefined) return;
    const { vocabulary } = page.discovery;
    const put = (schemas?: Schemas) =>
      change(sampleOf(resource, { namespace: applier.namespace, vocabulary, schemas }));
    readSchemas(page.connection).then(put, () => put());
  }, []);
  const leave = ({ document }: Outcome, field: string) => {
    const lines = yamlLines(text);
    const { node, isExact } = findNode(yamlTree(lines, document.from, document.to), field);
    if (isExact) change(withoutNode(lines, node));
  };
  const isTried = trial !== undefined && trial.text === text;
  const isFine = isTried && trial.outcomes.length > 0 && trial.outcomes.every((one) => one.error === undefined);
  const refused = isTried
    ? trial.outcomes.flatMap(({ document, error }) => (error === undefined ? [] : serverProblems(document, error)))
    : [];
  const unlikely = useSchemaProblems(text, described);
  // What is missing in a text may be there in the object.
  const problems = isFine ? [] : [...unlikely, ...refused];
  return (
    <article>
      <h1>Create or apply</h1>
      <div class="tools">
        <KindField discovery={page.discovery} onKind={(kind) => (location.hash = createOf(kind, applier.namespace))} />
        <FileButton onFile={(chosen) => void attempt(async () => change(await readFile(chosen)))} />
        {text !== "" && (
          <button type="button" onClick={() => change("")}>
            Empty
          </button>
        )}
        <small>A file can be dropped on any page. Several objects are separated by lines of ---.</small>
      </div>
      <TextAndForm
        value={text}
        onChange={change}
        onSubmit={() => void (isFine ? save() : tryAll())}
        described={described}
        problems={problems}
      />
      <div class="tools">
        <button type="button" disabled={isBusy || text.trim() === ""} onClick={() => tryAll()}>
          Try <kbd>Ctrl Enter</kbd>
        </button>
        <button type="button" class="main" disabled={isBusy || !isFine} onClick={save}>
          Apply
        </button>
        {!isFine && <small>The server tries everything before it can be applied.</small>}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <ProblemList problems={problems} />
      {isTried && <Outcomes outcomes={trial.outcomes} onForce={force} onLeave={leave} />}
    </article>
  );
}

/** What the server said about the documents of a text, and what is done with them then. */
function useTrial(applier: Applier, text: string) {
  const [trial, setTrial] = useState<Trial | undefined>(undefined);
  const [forced, setForced] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  };
  const tryAll = (force = forced) =>
    attempt(async () => {
      const documents = documentsIn(text);
      const outcomes: Outcome[] = [];
      for (const [at, document] of documents.entries())
        outcomes.push(await tryDocument(applier, document, documents.slice(0, at), force.has(keyOf(document))));
      setTrial({ text, outcomes });
    });
  const save = () =>
    attempt(async () => {
      const outcomes = trial?.outcomes ?? [];
      for (const outcome of outcomes) await applyDocument(applier, outcome, forced.has(keyOf(outcome.document)));
      draftOf("").drop();
      const [first] = outcomes;
      if (first?.resource === undefined) return;
      const { name } = first.document;
      location.hash =
        outcomes.length === 1 && name !== ""
          ? objectOf(first.resource, { name, namespace: first.namespace })
          : `#/objects/${first.resource.group || "core"}/${first.resource.version}/${first.resource.resource}`;
    });
  const force = (outcome: Outcome) => {
    const next = new Set([...forced, keyOf(outcome.document)]);
    setForced(next);
    void tryAll(next);
  };
  return { trial, error, isBusy, attempt, tryAll, save, force };
}

function FileButton({ onFile }: { readonly onFile: (file: File) => void }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => file.current?.click()}>
        Open a file …
      </button>
      <input
        ref={file}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label="File"
        accept=".yaml,.yml,.json,text/*"
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          if (chosen !== undefined) onFile(chosen);
        }}
      />
    </>
  );
}

const keyOf = ({ apiVersion, kind, namespace, name }: Outcome["document"]): string =>
  JSON.stringify([apiVersion, kind, namespace, name]);

export async function readFile(file: File): Promise<string> {
  if (file.size > fileBytesMax) throw new Error(`The file is larger than ${fileBytesMax} bytes.`);
  return file.text();
}
