/** Chooses a kind of which a sample is made. */

import { useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";

interface KindFieldOptions {
  readonly discovery: Discovery;
  readonly onKind: (resource: DiscoveredResource) => void;
}

export function KindField({ discovery, onKind }: KindFieldOptions) {
  const [word, setWord] = useState("");
  const kinds = discovery.preferred.filter(({ verbs }) => verbs.includes("create") && verbs.includes("list"));
  const found = word.trim() === "" ? undefined : discovery.find(word.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (found !== undefined) onKind(found);
      }}
    >
      <input
        type="text"
        list="sample-kinds"
        aria-label="Kind of a sample"
        placeholder="Pod, deployments.apps …"
        value={word}
        onInput={(event) => setWord(event.currentTarget.value)}
      />{" "}
      <datalist id="sample-kinds">
        {kinds.map(({ resource, group }) => (
          <option key={`${group}/${resource}`} value={group === "" ? resource : `${resource}.${group}`} />
        ))}
      </datalist>
      <button type="submit" disabled={found === undefined}>
        Insert a sample
      </button>
    </form>
  );
}
