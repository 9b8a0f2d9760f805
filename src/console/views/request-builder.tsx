/** A request to a kind as curl, ctl and TypeScript; those that only read can be sent. */

import { useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { formsOf, requestMethods } from "../state/request-forms.ts";
import { Field } from "./field.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { isSecret } from "./yaml-view.tsx";

/** More of an answer is not shown. */
const answerCharsMax = 100_000;

export function RequestBuilder({ page, resource }: { readonly page: Page; readonly resource: DiscoveredResource }) {
  const verbs = Object.keys(requestMethods).filter((verb) => resource.verbs.includes(verb));
  const [verb, setVerb] = useState(verbs[0] ?? "list");
  const [namespace, setNamespace] = useState(page.connection.facts.namespace);
  const [name, setName] = useState("");
  const [answer, setAnswer] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const forms = formsOf({ verb, resource, namespace: resource.namespaced ? namespace.trim() : "", name: name.trim() });
  const send = async () => {
    setError(undefined);
    setAnswer("");
    const answered = await page.connection.send.open(forms.path, { accept: "application/yaml, application/json" });
    setAnswer((await answered.text()).slice(0, answerCharsMax));
  };
  // The values of secrets are shown on their own pages, where they are asked for.
  const canSend = (verb === "get" || verb === "list") && !isSecret(resource);
  return (
    <section>
      <h2>A request</h2>
      <div class="tools">
        <label>
          Verb{" "}
          <select value={verb} onChange={(event) => setVerb(event.currentTarget.value)}>
            {verbs.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {resource.namespaced && <Field label="Namespace" hint="all" value={namespace} onChange={setNamespace} />}
        {!["list", "watch", "create"].includes(verb) && (
          <Field label="Name" hint="NAME" value={name} onChange={setName} />
        )}
        {canSend && (
          <button type="button" class="main" onClick={() => void send().catch(setError)}>
            Send
          </button>
        )}
      </div>
      <dl class="summary forms">
        <dt>Request</dt>
        <dd>
          <code>
            {forms.method} {forms.path}
          </code>
        </dd>
        <dt>curl</dt>
        <dd>
          <code>{forms.curl}</code>
        </dd>
        <dt>ctl</dt>
        <dd>
          <code>{forms.ctl}</code>
        </dd>
        <dt>TypeScript</dt>
        <dd>
          <pre>{forms.typescript}</pre>
        </dd>
      </dl>
      {error !== undefined && <ErrorNote error={error} />}
      {answer !== "" && (
        <textarea class="yaml" aria-label="Answer" readOnly rows={16} spellcheck={false} value={answer} />
      )}
    </section>
  );
}
