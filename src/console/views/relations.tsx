/** Owners and dependents of an object as a tree, and what blocks its deletion. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiscoveredResource, ResourceAddress } from "../../client/contract.ts";
import type { HealthState } from "../../operations/health.ts";
import { objectHealth } from "../../operations/object-health.ts";
import { type Json, text } from "../server/json.ts";
import { dependentsMax, dependentsOf, ownersOf, type Related } from "../server/relations.ts";
import { idOf } from "../state/acts.ts";
import { blockersOf } from "../state/deletion.ts";
import type { Around, GraphItem } from "../state/graph.ts";
import { objectOf } from "../state/route.ts";
import { type Surroundings, statesOf, surroundingsOf } from "../state/surroundings.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { RelationsGraph } from "./relations-graph.tsx";
import { Time } from "./time.tsx";

interface RelationsOptions {
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
  const [states, setStates] = useState<ReadonlyMap<string, HealthState>>(new Map());
  const [surroundings, setSurroundings] = useState<Surroundings>({ uses: [], usedBy: [] });
  useEffect(() => () => ended.current.abort(), []);
  const { signal } = ended.current;
  useEffect(() => {
    ownersOf({ ...page, signal }, object).then(setOwners, (failure) => signal.aborted || setError(failure));
  }, [JSON.stringify(object["metadata"] ?? {}, ["ownerReferences", "uid"])]);
  useEffect(() => {
    surroundingsOf({ ...page, signal }, resource, object).then(setSurroundings, () => undefined);
    read();
  }, []);
  const read = () => {
    setReading(true);
    setError(undefined);
    const readAll = async () => {
      const dependents = await dependentsOf({ ...page, signal }, object);
      setFound(dependents);
      setStates(await statesOf({ ...page, signal }, text(object, "metadata", "namespace"), kindsOf(dependents)));
    };
    readAll()
      .catch((failure: unknown) => signal.aborted || setError(failure))
      .finally(() => setReading(false));
  };
  const around = useMemo(
    () => aroundOf(resource, object, { owners, dependents: found ?? [], surroundings, states }),
    [owners, found, surroundings, states],
  );
  const isAlone = around.left.length === 0 && around.right.length === 0;
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      {!isAlone && <RelationsGraph around={around} />}
      {isAlone && <p class="note">{isReading ? "Reading all kinds …" : "Nothing is known to belong to it."}</p>}
      <section>
        <h2>Owners and dependents</h2>
        <Chain owners={owners.toReversed()}>
          <strong>
            {around.own.kind} <bdi>{around.own.name}</bdi>
          </strong>
          {found !== undefined && <Tree related={found} />}
        </Chain>
        {owners.length === 0 && <p class="note">Nothing owns it.</p>}
        {found?.length === 0 && <p class="note">It owns nothing.</p>}
        {found !== undefined && countOf(found) >= dependentsMax && (
          <p class="note">Only {dependentsMax} dependents are shown.</p>
        )}
        <button type="button" disabled={isReading} onClick={read}>
          {isReading ? "Reading all kinds …" : found === undefined ? "Find dependents" : "Refresh"}
        </button>
      </section>
      <Blockers object={object} plural={resource.resource} dependents={found} />
    </>
  );
}

interface Known {
  /** The nearest first. */
  readonly owners: readonly Related[];
  readonly dependents: readonly Related[];
  readonly surroundings: Surroundings;
  readonly states: ReadonlyMap<string, HealthState>;
}

function aroundOf(
  resource: ResourceAddress,
  object: Json,
  { owners, dependents, surroundings, states }: Known,
): Around {
  const itemOf = (related: Related): GraphItem => ({
    id: related.uid,
    kind: related.kind,
    name: related.name,
    href: related.resource === undefined || related.isMissing ? "" : objectOf(related.resource, related),
    state: states.get(related.uid) ?? ownState(related),
    isMissing: related.isMissing,
    as: "",
    children: related.children.map(itemOf),
  });
  const chain = owners.reduceRight<GraphItem[]>((above, one) => [{ ...itemOf(one), children: above }], []);
  const name = text(object, "metadata", "name");
  const state = objectHealth(idOf(resource), object)?.state;
  return {
    own: { id: "own", kind: resource.kind, name, href: "", as: "", children: [], state },
    left: [...chain, ...surroundings.usedBy],
    right: [...dependents.map(itemOf), ...surroundings.uses],
  };
}

const ownState = ({ resource, object }: Related): HealthState | undefined =>
  resource === undefined || object === undefined ? undefined : objectHealth(idOf(resource), object)?.state;

/** The kinds of all of them, each once. */
function kindsOf(related: readonly Related[]): readonly ResourceAddress[] {
  const kinds = new Map<string, ResourceAddress>();
  const look = ({ resource, children }: Related) => {
    if (resource !== undefined) kinds.set(idOf(resource), resource);
    children.forEach(look);
  };
  related.forEach(look);
  return [...kinds.values()];
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
