/** Owners and dependents of an object as a tree, and what blocks its deletion. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, text } from "../server/json.ts";
import { dependentsMax, dependentsOf, ownersOf, type Related } from "../server/relations.ts";
import { blockersOf } from "../state/deletion.ts";
import { objectOf } from "../state/route.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Time } from "./time.tsx";

export interface RelationsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

export function Relations({ page, resource, object }: RelationsOptions) {
  const [owners, setOwners] = useState<readonly Related[]>([]);
  const [found, setFound] = useState<readonly Related[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isReading, setReading] = useState(false);
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  const { signal } = ended.current;
  useEffect(() => {
    ownersOf({ ...page, signal }, object).then(setOwners, (failure) => signal.aborted || setError(failure));
  }, [JSON.stringify(object["metadata"] ?? {}, ["ownerReferences", "uid"])]);
  const read = () => {
    setReading(true);
    setError(undefined);
    dependentsOf({ ...page, signal }, object)
      .then(setFound, setError)
      .finally(() => setReading(false));
  };
  const own = { kind: resource.kind, name: text(object, "metadata", "name") };
  return (
    <>
      <section>
        <h2>Owners and dependents</h2>
        {error !== undefined && <ErrorNote error={error} />}
        <Chain owners={owners.toReversed()}>
          <strong>
            {own.kind} <bdi>{own.name}</bdi>
          </strong>
          {found !== undefined && <Tree related={found} />}
        </Chain>
        {owners.length === 0 && <p class="note">Nothing owns it.</p>}
        {found?.length === 0 && <p class="note">It owns nothing.</p>}
        {found !== undefined && countOf(found) >= dependentsMax && (
          <p class="note">Only {dependentsMax} dependents are shown.</p>
        )}
        <button type="button" disabled={isReading} onClick={read}>
          {isReading ? "Reading all kinds …" : found === undefined ? "Find dependents" : "Look again"}
        </button>
      </section>
      <Blockers object={object} plural={resource.resource} dependents={found} />
    </>
  );
}

const countOf = (related: readonly Related[]): number =>
  related.reduce((sum, { children }) => sum + 1 + countOf(children), 0);

interface ChainOptions {
  /** The first of all owners first. */
  readonly owners: readonly Related[];
  readonly children: ComponentChildren;
}

/** Each owner around what it owns. */
function Chain({ owners: [first, ...rest], children }: ChainOptions) {
  return (
    <ul class="tree">
      {first === undefined ? (
        <li>{children}</li>
      ) : (
        <li>
          <Name related={first} />
          <Chain owners={rest}>{children}</Chain>
        </li>
      )}
    </ul>
  );
}

const Tree = ({ related }: { readonly related: readonly Related[] }) =>
  related.length === 0 ? null : (
    <ul class="tree">
      {related.map((one) => (
        <li key={one.uid}>
          <Name related={one} />
          <Tree related={one.children} />
        </li>
      ))}
    </ul>
  );

function Name({ related }: { readonly related: Related }) {
  const { resource, kind, name, isMissing, isBeingDeleted } = related;
  return (
    <>
      {resource === undefined || isMissing ? (
        <>
          {kind} <bdi>{name}</bdi>
        </>
      ) : (
        <a href={objectOf(resource, related)}>
          {kind} <bdi>{name}</bdi>
        </a>
      )}
      {isMissing && <span class="bad"> is not there</span>}
      {isBeingDeleted && <span class="bad"> is being deleted</span>}
    </>
  );
}

interface BlockersOptions {
  readonly object: Json;
  readonly plural: string;
  readonly dependents: readonly Related[] | undefined;
}

function Blockers({ object, plural, dependents }: BlockersOptions) {
  const blockers = blockersOf(object, plural, Date.now());
  const deleted = text(object, "metadata", "deletionTimestamp");
  const isForeground = blockers.some(({ name }) => name === "foregroundDeletion");
  const blocking = isForeground ? (dependents ?? []).filter(({ isBlocking }) => isBlocking) : [];
  if (deleted === "" && blockers.length === 0) return null;
  return (
    <section>
      <h2>{deleted === "" ? "What would block its deletion" : "What blocks its deletion"}</h2>
      {deleted !== "" && (
        <p>
          It was deleted <Time value={deleted} />.{blockers.length === 0 && " Nothing that it says blocks it."}
        </p>
      )}
      <ul>
        {blockers.map(({ name, why }) => (
          <li key={`${name}${why}`}>
            {name !== "" && (
              <>
                <code>
                  <bdi>{name}</bdi>
                </code>
                :{" "}
              </>
            )}
            <bdi>{why}</bdi>
            {name === "foregroundDeletion" && dependents === undefined && " Find dependents to see which."}
            {name === "foregroundDeletion" && (
              <ul>
                {blocking.map((one) => (
                  <li key={one.uid}>
                    <Name related={one} />
                    {one.finalizers.length > 0 && <>, which has the finalizers {one.finalizers.join(", ")}</>}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
