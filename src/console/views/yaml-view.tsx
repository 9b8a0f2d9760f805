/** The YAML of an object, without what is rarely wanted and without secrets, until the user asks. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Ref, ResourceAddress } from "../../client/contract.ts";
import { type Json, text } from "../server/json.ts";
import { readYaml } from "../server/objects.ts";
import { linesWith, withoutManagedFields, withoutSecrets } from "../state/yaml-text.ts";
import { CopyButton } from "./copy-button.tsx";
import { DownloadButton } from "./download-button.tsx";
import { ErrorNote } from "./notes.tsx";
import { OwnedYaml } from "./owned-yaml.tsx";
import type { Page } from "./page.ts";
import { SecretValues } from "./secret-values.tsx";
import { YamlSearch } from "./yaml-search.tsx";

interface YamlOptions {
  readonly page: Page;
  readonly resource: ResourceAddress;
  readonly target: Ref;
  /** As last seen; the text is read again when its version changes. */
  readonly object: Json;
}

export const isSecret = ({ group, resource }: ResourceAddress): boolean => group === "" && resource === "secrets";

export function YamlView({ page, resource, target, object }: YamlOptions) {
  const [yaml, setYaml] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const [hasManaged, setManaged] = useState(false);
  const [hasSecrets, setSecrets] = useState(false);
  const [search, setSearch] = useState({ word: "", at: 0 });
  useEffect(() => {
    readYaml(page.connection, resource, target).then(setYaml, setError);
  }, [text(object, "metadata", "resourceVersion")]);
  const managed = hasManaged ? yaml : withoutManagedFields(yaml);
  const shown = isSecret(resource) && !hasSecrets ? withoutSecrets(managed) : managed;
  const found = useMemo(() => linesWith(shown, search.word), [shown, search.word]);
  const at = Math.min(search.at, Math.max(0, found.length - 1));
  return (
    <section id="yaml" aria-label="YAML">
      {error !== undefined && <ErrorNote error={error} />}
      <div class="tools">
        <YamlSearch
          word={search.word}
          count={found.length}
          at={at}
          onSearch={(word, next) => setSearch({ word, at: next })}
        />
        <label>
          <input type="checkbox" checked={hasManaged} onChange={(event) => setManaged(event.currentTarget.checked)} />{" "}
          Managed fields
        </label>
        {isSecret(resource) && (
          <label>
            <input type="checkbox" checked={hasSecrets} onChange={(event) => setSecrets(event.currentTarget.checked)} />{" "}
            Show the secret values
          </label>
        )}
        <CopyButton text={shown} />
        <DownloadButton text={shown} fileName={`${target.name}.yaml`} />
      </div>
      {isSecret(resource) && hasSecrets && <SecretValues secret={object} />}
      {yaml !== "" && <OwnedYaml object={object} yaml={shown} found={found} foundAt={at} />}
    </section>
  );
}
