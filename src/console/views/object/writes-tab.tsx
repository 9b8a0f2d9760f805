/** Who wrote what of an object and when, as its managed fields tell, and the way to the requests where they are recorded. */

import type { DiscoveredResource } from "../../../client/contract.ts";
import { objectPath } from "../../../client/requests/address.ts";
import { isJson, type Json, part, parts, text } from "../../server/json.ts";
import { formatRoute } from "../../state/route.ts";
import { ListTable } from "../list-table.tsx";
import type { Page } from "../page.ts";
import { Time } from "../time.tsx";

interface WritesTabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

const fieldsMax = 12;

export function WritesTab({ page, resource, object }: WritesTabOptions) {
  const entries = parts(object, "metadata", "managedFields").toSorted((a, b) =>
    text(b, "time").localeCompare(text(a, "time")),
  );
  const ref = { name: text(object, "metadata", "name"), namespace: text(object, "metadata", "namespace") };
  const target = objectPath(resource, ref);
  return (
    <>
      <section>
        <h2>Who wrote what</h2>
        {entries.length === 0 && <p class="note">The server does not tell.</p>}
        <ListTable
          label="Who wrote what, the newest first"
          items={entries}
          keyOf={(_, at) => at}
          columns={[
            { name: "Manager", cell: (one) => <bdi>{text(one, "manager")}</bdi> },
            { name: "When", cell: (one) => <Time value={text(one, "time")} /> },
            {
              name: "How",
              cell: (one) => [text(one, "operation"), text(one, "subresource")].filter(Boolean).join(" of "),
            },
            { name: "Fields", cell: (one) => <Fields of={part(one, "fieldsV1")} /> },
          ]}
        />
      </section>
      <p>
        {page.testing.hasJournal ? (
          <a href={formatRoute({ view: "requests", user: "", verb: "", target, code: "" })}>
            Requests to this object, live
          </a>
        ) : (
          <span class="quiet">This server does not record requests: start one with a journal to see them here.</span>
        )}
      </p>
    </>
  );
}

function Fields({ of }: { readonly of: Json }) {
  const all = pathsOf(of, "");
  return (
    <>
      {all.slice(0, fieldsMax).map((path) => (
        <code class="pair" key={path}>
          <bdi>{path}</bdi>
        </code>
      ))}
      {all.length > fieldsMax && <small> and {all.length - fieldsMax} more</small>}
    </>
  );
}

/** The fields at the ends of the set: "spec.replicas". Deeper than a few steps, what contains them stands for them. */
function pathsOf(set: Json, above: string, depth = 0): string[] {
  return Object.entries(set).flatMap(([key, below]) => {
    if (!key.startsWith("f:")) return depth === 0 ? [] : [above];
    const path = above === "" ? key.slice(2) : `${above}.${key.slice(2)}`;
    const inner = isJson(below) && depth < 3 ? pathsOf(below, path, depth + 1) : [];
    return inner.length === 0 ? [path] : [...new Set(inner)];
  });
}
