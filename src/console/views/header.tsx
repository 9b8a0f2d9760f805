/** The line above all views: where one can go, which server this is, and how the page looks. */

import { useEffect, useState } from "preact/hooks";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";
import { hasForks, hasJournal } from "../server/testing.ts";
import type { Route } from "../state/route.ts";
import { ThemeButton } from "./theme.tsx";

export interface HeaderOptions {
  readonly connection: Connection;
  /** Undefined: it is still read. */
  readonly discovery: Discovery | undefined;
  readonly route: Route;
  readonly onJump: () => void;
  readonly onHelp: () => void;
}

export function Header({ connection, discovery, route, onJump, onHelp }: HeaderOptions) {
  const { facts } = connection;
  const served = useTestingParts(connection, discovery);
  const places: readonly (readonly [view: Route["view"], name: string, isThere: boolean])[] = [
    ["overview", "Overview", true],
    ["access", "Access", true],
    ["api", "API", true],
    ["requests", "Requests", served.hasJournal],
    ["testing", "Testing", served.hasTesting],
    ["create", "Create", !facts.isReadOnly],
  ];
  const current = route.view === "kind" ? "api" : route.view;
  return (
    <header>
      {places.map(
        ([view, name, isThere]) =>
          isThere && (
            <a class="brand" key={view} href={`#/${view}`} aria-current={current === view ? "page" : undefined}>
              {name}
            </a>
          ),
      )}
      <button type="button" onClick={onJump}>
        Kinds <kbd>:</kbd>
      </button>
      <span class="where" title={facts.server}>
        {facts.context || facts.server}
      </span>
      {facts.isReadOnly && <span class="badge">read-only</span>}
      <ThemeButton />
      <button type="button" aria-label="Keys" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}

/** What a server for tests serves beside its API is not in discovery: it is asked once, after the first view. */
function useTestingParts(connection: Connection, discovery: Discovery | undefined) {
  const [served, setServed] = useState({ journal: false, forks: false });
  useEffect(() => {
    if (discovery === undefined) return;
    Promise.all([hasJournal(connection), hasForks(connection)]).then(
      ([journal, forks]) => setServed({ journal, forks }),
      () => undefined,
    );
  }, [discovery === undefined]);
  const isFound = (name: string) => discovery?.find(name) !== undefined;
  const hasTesting = served.forks || isFound("faultplans") || isFound("stages.simulation.orch.io");
  return { hasJournal: served.journal, hasTesting };
}
