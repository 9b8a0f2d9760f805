/** The stages by which simulated pods live, as the server has them. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, part, text } from "../server/json.ts";
import { createOf, objectOf } from "../state/route.ts";
import { nameOf, useFollowed } from "./followed.ts";
import { ListTable } from "./list-table.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

interface StagesOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
}

export function Stages({ page, resource }: StagesOptions) {
  const { objects: stages, error } = useFollowed(page, resource, {});
  return (
    <section>
      <h2>Stages of simulated pods</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {stages?.length === 0 && <p>None: pods become running and ready by themselves.</p>}
      {stages !== undefined && stages.length > 0 && (
        <ListTable
          stacks
          label="Stages"
          items={stages}
          keyOf={nameOf}
          columns={[
            { name: "Stage", cell: (one) => <a href={objectOf(resource, { name: nameOf(one) })}>{nameOf(one)}</a> },
            { name: "Pods", cell: (one) => shown(part(one, "spec", "selector")) || "all" },
            { name: "From", cell: (one) => text(one, "spec", "from") },
            { name: "After", cell: (one) => text(one, "spec", "delay", "duration") || "at once" },
            { name: "Next", cell: (one) => shown(part(one, "spec", "next")) },
          ]}
        />
      )}
      {!page.connection.facts.isReadOnly && (
        <p>
          <a class="button" href={createOf(resource, "")}>
            Create a stage
          </a>
        </p>
      )}
    </section>
  );
}

const shown = (value: Json) => (Object.keys(value).length === 0 ? "" : <code>{JSON.stringify(value)}</code>);
