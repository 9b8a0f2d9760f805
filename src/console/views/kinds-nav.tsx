/** Every kind that can be listed, in groups by purpose, with how many objects there are. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { idOf } from "../state/acts.ts";
import { type KeptKinds, readKeptKinds, withPinned, withRecent } from "../state/kept-kinds.ts";
import { listable } from "../state/kinds.ts";
import { kindGroups, pluralOf } from "../state/nav.ts";
import { isSame, objectsOf, type Route } from "../state/route.ts";
import { PurposeIcon } from "./purpose-icon.tsx";

interface KindsNavOptions {
  readonly discovery: Discovery | undefined;
  readonly route: Route;
  /** Where the lists of kinds begin; "": all. */
  readonly namespace: string;
  /** By id; kinds without objects, or that the user may not list, are not in it. */
  readonly counts: ReadonlyMap<string, number>;
}

export function KindsNav({ discovery, route, namespace, counts }: KindsNavOptions) {
  const [search, setSearch] = useState("");
  const [kept, setKept] = useState<KeptKinds>(() => readKeptKinds(localStorage));
  const all = discovery === undefined ? [] : listable(discovery);
  const shown = "resource" in route ? all.find((one) => isSame(one, route)) : undefined;
  useEffect(() => {
    if (shown !== undefined) setKept(withRecent(localStorage, idOf(shown)));
  }, [shown && idOf(shown)]);
  const word = search.trim().toLowerCase();
  const isFound = (one: DiscoveredResource) =>
    idOf(one).includes(word) || one.shortNames.includes(word) || one.kind.toLowerCase().includes(word);
  const link = (resource: DiscoveredResource) => (
    <KindLink
      key={idOf(resource)}
      resource={resource}
      href={objectsOf(resource, resource.namespaced ? { namespace } : {})}
      isCurrent={"resource" in route && isSame(resource, route)}
      count={counts.get(idOf(resource))}
      isPinned={kept.pinned.includes(idOf(resource))}
      onPin={(isPinned) => setKept(withPinned(localStorage, idOf(resource), isPinned))}
    />
  );
  const named = (ids: readonly string[]) =>
    ids.map((id) => all.find((one) => idOf(one) === id)).filter((one) => one !== undefined);
  const groups = discovery === undefined ? [] : kindGroups(discovery);
  return (
    <nav aria-label="Kinds">
      <input
        type="search"
        aria-label="Search the kinds"
        placeholder="Search the kinds"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = groups.flatMap(({ resources }) => resources.filter(isFound));
          if (event.key !== "Enter" || first === undefined) return;
          location.hash = objectsOf(first, first.namespaced ? { namespace } : {});
          setSearch("");
        }}
      />
      {word === "" && kept.pinned.length > 0 && (
        <section>
          <h2>Pinned</h2>
          {named(kept.pinned).map(link)}
        </section>
      )}
      {word === "" && kept.recent.length > 0 && (
        <section class="recent">
          <h2>Recent</h2>
          <p>
            {named(kept.recent).map((resource) => (
              <a key={idOf(resource)} href={objectsOf(resource, resource.namespaced ? { namespace } : {})}>
                {pluralOf(resource)}
              </a>
            ))}
          </p>
        </section>
      )}
      {groups.map(({ purpose, resources }) => {
        const found = word === "" ? resources : resources.filter(isFound);
        if (found.length === 0) return null;
        return (
          <details
            key={purpose}
            open={word !== "" || !closedAtFirst.has(purpose) || resources.some((one) => one === shown)}
          >
            <summary>
              <PurposeIcon purpose={purpose} />
              {purpose}
            </summary>
            {found.map(link)}
          </details>
        );
      })}
      {word !== "" && !all.some(isFound) && <p class="note">No kind has this in its name.</p>}
    </nav>
  );
}

/** What few people look for every day. */
const closedAtFirst: ReadonlySet<string> = new Set(["API", "Access"]);

interface KindLinkOptions {
  readonly resource: DiscoveredResource;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly count: number | undefined;
  readonly isPinned: boolean;
  readonly onPin: (isPinned: boolean) => void;
}

function KindLink({ resource, href, isCurrent, count, isPinned, onPin }: KindLinkOptions) {
  const name = pluralOf(resource);
  return (
    <div class={`kind-link${isPinned ? " pinned" : ""}`}>
      <a href={href} title={idOf(resource)} aria-current={isCurrent ? "page" : undefined}>
        {name}
      </a>
      {count !== undefined && <span class="kind-count">{count > 9_999 ? `${Math.floor(count / 1_000)}k` : count}</span>}
      <button type="button" class="pin" aria-pressed={isPinned} onClick={() => onPin(!isPinned)}>
        <span class="unseen">Pin {name}</span>
        <span aria-hidden="true">{isPinned ? "★" : "☆"}</span>
      </button>
    </div>
  );
}
