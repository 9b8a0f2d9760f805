/** The frame around all views: navigation, warnings, dialogs and the keys that work everywhere. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { Connection } from "../server/connection.ts";
import { changesOf } from "../server/history.ts";
import { pastConnection } from "../server/past.ts";
import { readTestingPaths, type TestingPaths } from "../server/testing.ts";
import type { LastWrites } from "../state/last-write.ts";
import type { Notices } from "../state/notices.ts";
import { type ObjectsRoute, parseRoute, type Route } from "../state/route.ts";
import { titleOf } from "../state/titles.ts";
import { useCounts } from "./counts.ts";
import { useDroppedFile } from "./dropped-file.ts";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Jump } from "./jump.tsx";
import { KindsNav } from "./kinds-nav.tsx";
import { LostBanner, useReach } from "./lost-banner.tsx";
import { useMoment } from "./moment.ts";
import { ErrorNote, Waiting } from "./notes.tsx";
import { Overview } from "./overview.tsx";
import { isTyping, type Page } from "./page.ts";
import { ServerPage } from "./server-page.tsx";
import { TimeBar } from "./time-bar.tsx";
import { UndoBar } from "./undo-bar.tsx";
import { View } from "./view.tsx";
import { Warnings } from "./warnings.tsx";

interface AppOptions {
  readonly connection: Connection;
  /** What the server serves takes several requests: the frame and the overview do not wait for it. */
  readonly discovering: Promise<Discovery>;
  /** Reads again what the server serves: definitions add kinds. */
  readonly reload: () => Promise<Discovery>;
  readonly notices: Notices;
  readonly writes: LastWrites;
}

type OpenDialog = "help" | "jump" | undefined;

export function App({ connection, discovering, reload, notices, writes }: AppOptions) {
  const { route, left } = useRoute(connection);
  const reach = useReach(connection);
  const moment = useMoment();
  const [isTimed, setTimed] = useState(false);
  const [dialog, setDialog] = useState<OpenDialog>(undefined);
  const [isNavOpen, setNavOpen] = useState(false);
  const { discovery, testing, error, reloadShown } = useServed({ connection, discovering, reload }, reach.returns);
  useKeys(setDialog);
  useEffect(() => setNavOpen(false), [route]);
  useEffect(() => {
    if (dialog === "jump") reloadShown().catch(() => undefined);
  }, [dialog]);
  // A dialog that was closed says so a moment later; by then a key may have opened the other one.
  const close = (closed: OpenDialog) => setDialog((open) => (open === closed ? undefined : open));
  const dropped = useDroppedFile(connection, notices);
  const list = route.view === "objects" ? route : left;
  const page: Page | undefined = discovery && { connection, discovery, testing, writes, reload: reloadShown, list };
  const changes = discovery && changesOf(discovery);
  const isKept = changes !== undefined && hasPast(route);
  const at = isKept ? moment.at : "";
  const past = useMemo(() => (at === "" ? connection : pastConnection(connection, at)), [connection, at]);
  const shown: Page | undefined = page && { ...page, connection: past };
  const counts = useCounts(page, reach.returns);
  const namespace = list?.namespace ?? "";
  return (
    <div class={`frame${isNavOpen ? " nav-open" : ""}`}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <Header
        connection={connection}
        page={page}
        route={route}
        isNavOpen={isNavOpen}
        onNav={() => setNavOpen(!isNavOpen)}
        onJump={() => setDialog("jump")}
        onHelp={() => setDialog("help")}
        onTime={isKept ? () => setTimed(!isTimed) : undefined}
        isTimed={isTimed || at !== ""}
      />
      <KindsNav discovery={discovery} route={route} namespace={namespace} counts={counts} />
      <main id="main" tabIndex={-1}>
        {changes !== undefined && isKept && (isTimed || at !== "") && (
          <TimeBar connection={connection} changes={changes} moment={moment} onClose={() => setTimed(false)} />
        )}
        {reach.isLost && <LostBanner reach={reach} facts={connection.facts} />}
        <Warnings notices={notices} />
        <UndoBar connection={connection} writes={writes} />
        {error !== undefined && !reach.isLost && <ErrorNote error={error} />}
        {route.view === "overview" && (
          <Overview key={reach.returns} page={shown} isLost={reach.isLost || error !== undefined} />
        )}
        {route.view === "server" && <ServerPage key={reach.returns} connection={connection} isLost={reach.isLost} />}
        {!isOwn(route) && shown !== undefined && (
          <View key={isReadOnce(route) ? reach.returns : 0} page={shown} route={route} dropped={dropped} />
        )}
        {!isOwn(route) && page === undefined && error === undefined && <Waiting what="the kinds" />}
      </main>
      {dialog === "help" && <Help onClose={() => close("help")} />}
      {dialog === "jump" && <Jump page={page} namespace={namespace} onClose={() => close("jump")} />}
    </div>
  );
}

/** Shown before the kinds are read. */
const isOwn = (route: Route): route is Extract<Route, { view: "overview" | "server" }> =>
  route.view === "overview" || route.view === "server";

/** Of these the server tells how they were. */
const hasPast = ({ view }: Route): boolean => view === "overview" || view === "objects" || view === "object";

/** These are read again when the server comes back; the others follow it by themselves, or hold what somebody writes. */
const isReadOnce = ({ view }: Route): boolean => view === "api" || view === "kind" || view === "access";

/** The address, its title, and the list that was left last. */
function useRoute({ facts }: Connection) {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const [left, setLeft] = useState<ObjectsRoute | undefined>(undefined);
  useEffect(() => {
    const onHash = ({ oldURL }: HashChangeEvent) => {
      const before = parseRoute(new URL(oldURL).hash);
      if (before.view === "objects") setLeft(before);
      setRoute(parseRoute(location.hash));
    };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  useEffect(() => {
    document.title = titleOf(route, facts.context || facts.server);
  }, [route]);
  return { route, left };
}

/** What the server serves; read again when it comes back and was not read before. */
function useServed({ connection, discovering, reload }: Omit<AppOptions, "notices" | "writes">, returns: number) {
  const [discovery, setDiscovery] = useState<Discovery | undefined>(undefined);
  const [testing, setTesting] = useState<TestingPaths>({ hasForks: false, hasJournal: false, hasClock: false });
  const [error, setError] = useState<unknown>(undefined);
  const reloadShown = async () => {
    const found = await reload();
    setDiscovery(found);
    setError(undefined);
    return found;
  };
  useEffect(() => {
    (returns === 0 ? discovering.then(setDiscovery) : reloadShown()).catch(setError);
  }, [returns]);
  useEffect(() => {
    // After the first view, which does not need it.
    if (discovery !== undefined) readTestingPaths(connection).then(setTesting, () => undefined);
  }, [discovery === undefined, returns]);
  return { discovery, testing, error, reloadShown };
}

function useKeys(open: (dialog: OpenDialog) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      if (event.key === "?") open("help");
      else if (event.key === ":") open("jump");
      else if (places[event.key] !== undefined) location.hash = places[event.key] ?? "";
      else if (event.key === "/") document.getElementById("filter")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** By key. */
const places: Readonly<Record<string, string>> = {
  o: "#/overview",
  s: "#/server",
  a: "#/access",
  x: "#/api",
  n: "#/create",
  r: "#/requests",
  t: "#/testing",
};
