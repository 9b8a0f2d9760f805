/** The line above all views: where one can go, which server this is, who one is, and how the page looks. */

import type { Connection } from "../server/connection.ts";
import type { Route } from "../state/route.ts";
import type { Page } from "./page.ts";
import { ThemeButton } from "./theme.tsx";
import { WhoAmI } from "./who-am-i.tsx";

interface HeaderOptions {
  readonly connection: Connection;
  /** Undefined: it is still read. */
  readonly page: Page | undefined;
  readonly route: Route;
  readonly isNavOpen: boolean;
  readonly onNav: () => void;
  readonly onJump: () => void;
  readonly onHelp: () => void;
  /** Undefined: the server keeps no history, or not of this view. */
  readonly onTime: (() => void) | undefined;
  readonly isTimed: boolean;
}

export function Header({ connection, page, route, isNavOpen, onNav, onJump, onHelp, onTime, isTimed }: HeaderOptions) {
  const { facts } = connection;
  const where = facts.context || facts.server;
  const isFound = (name: string) => page?.discovery.find(name) !== undefined;
  const hasTesting =
    page?.testing.hasForks || page?.testing.hasClock || isFound("faultplans") || isFound("stages.simulation.orch.io");
  const places: readonly (readonly [view: Route["view"], name: string, isThere: boolean])[] = [
    ["overview", "Overview", true],
    ["server", "Server", true],
    ["access", "Access", true],
    ["api", "API", true],
    ["requests", "Requests", page?.testing.hasJournal === true],
    ["testing", "Testing", hasTesting === true],
    ["create", "Create", !facts.isReadOnly],
  ];
  const current = route.view === "kind" ? "api" : route.view;
  return (
    <header>
      <button type="button" class="menu" aria-label="Kinds" aria-expanded={isNavOpen} onClick={onNav}>
        <span aria-hidden="true">☰</span>
      </button>
      <a class="home" href="#/overview" aria-label={`Home of ${where}`} title={facts.server}>
        <svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
          <rect width="16" height="16" rx="3.5" fill="#0b5cad" />
          <path d="M4 5l3 3-3 3M8.5 11.5h4" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round" />
        </svg>
        <span class="where">{where}</span>
      </a>
      <div class="places">
        {places.map(
          ([view, name, isThere]) =>
            isThere && (
              <a class="brand" key={view} href={`#/${view}`} aria-current={current === view ? "page" : undefined}>
                {name}
              </a>
            ),
        )}
      </div>
      <button type="button" class="jump" onClick={onJump}>
        <span>Go to …</span> <kbd>:</kbd>
      </button>
      {facts.isReadOnly && <span class="badge">read-only</span>}
      {page !== undefined && <WhoAmI page={page} />}
      {onTime !== undefined && (
        <button type="button" aria-label="Time" title="Look at another moment" aria-pressed={isTimed} onClick={onTime}>
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" class="line-icon">
            <path d="M2.2 8a5.8 5.8 0 1 0 1.9-4.3M2 1.8v2.6h2.6M8 4.8V8l2.2 1.6" />
          </svg>
        </button>
      )}
      <ThemeButton />
      <button type="button" aria-label="Keys" onClick={onHelp}>
        ?
      </button>
    </header>
  );
}
