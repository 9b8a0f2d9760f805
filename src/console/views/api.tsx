/** The API of the server: its groups and kinds, the fields of a kind with their documentation, and requests to try. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf } from "../../client/requests/address.ts";
import type { Json } from "../server/json.ts";
import { text } from "../server/json.ts";
import { readSchemas, type Schemas } from "../server/schemas.ts";
import { apiOf, objectsOf } from "../state/route.ts";
import { ErrorNote, Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";
import { RequestBuilder } from "./request-builder.tsx";

export function Api({ page }: { readonly page: Page }) {
  const [filter, setFilter] = useState("");
  const shown = page.discovery.resources.filter(({ resource, kind, group }) =>
    `${resource} ${kind} ${group}`.toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const groups = Map.groupBy(shown, (resource) => apiVersionOf(resource));
  return (
    <article>
      <div class="tools">
        <h1>API</h1>
        <input
          id="filter"
          type="search"
          aria-label="Filter"
          placeholder="Filter  /"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </div>
      {[...groups].map(([apiVersion, resources]) => (
        <section key={apiVersion}>
          <h2>{apiVersion}</h2>
          <ul class="kinds">
            {resources.map((resource) => (
              <li key={resource.resource}>
                <a href={apiOf(resource)}>{resource.kind}</a> <small>{resource.resource}</small>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 && <p class="note">No kind has this in its name.</p>}
    </article>
  );
}

export function ApiKind({ page, resource }: { readonly page: Page; readonly resource: DiscoveredResource }) {
  const [schemas, setSchemas] = useState<Schemas | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    readSchemas(page.connection).then(setSchemas, setError);
  }, []);
  const schema = schemas?.of(resource);
  return (
    <article>
      <p class="path">
        <a href="#/api">API</a> {apiVersionOf(resource)}
      </p>
      <h1>{resource.kind}</h1>
      <p>{text(schema, "description")}</p>
      <dl class="summary">
        <dt>Resource</dt>
        <dd>
          {resource.verbs.includes("list") ? <a href={objectsOf(resource)}>{resource.resource}</a> : resource.resource}
          {resource.namespaced ? ", in namespaces" : ", of the whole server"}
        </dd>
        <dt>Verbs</dt>
        <dd>{resource.verbs.join(", ")}</dd>
        <dt>Short names</dt>
        <dd>{resource.shortNames.join(", ") || "none"}</dd>
        <dt>Subresources</dt>
        <dd>{resource.subresources.join(", ") || "none"}</dd>
      </dl>
      <RequestBuilder page={page} resource={resource} />
      <section>
        <h2>Fields</h2>
        {error !== undefined && <ErrorNote error={error} />}
        {error === undefined && schemas === undefined && <Waiting what="the schemas" />}
        {schemas !== undefined && schema === undefined && <p>The server does not describe this kind.</p>}
        {schemas !== undefined && schema !== undefined && <Fields schemas={schemas} schema={schema} />}
      </section>
    </article>
  );
}

/** What is inside a field is shown when it is opened, so that schemas which contain themselves end. */
function Fields({ schemas, schema }: { readonly schemas: Schemas; readonly schema: Json }) {
  return (
    <ul class="fields">
      {schemas.fieldsOf(schema).map((field) => (
        <li key={field.name}>
          <code>{field.name}</code> <small>{field.type}</small>{" "}
          {field.isRequired && <span class="badge">required</span>}
          <p>
            {field.description}
            {field.values.length > 0 && ` One of: ${field.values.join(", ")}.`}
          </p>
          {field.schema !== undefined && <Inner name={field.name} schemas={schemas} schema={field.schema} />}
        </li>
      ))}
    </ul>
  );
}

function Inner({ name, schemas, schema }: { readonly name: string; readonly schemas: Schemas; readonly schema: Json }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>fields of {name}</summary>
      {isOpen && <Fields schemas={schemas} schema={schema} />}
    </details>
  );
}
