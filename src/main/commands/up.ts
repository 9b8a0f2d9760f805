/** `orch up`: a server for one person, ready in one command, with everything it needs made in one folder. */

import { resolve } from "node:path";
import type { ComponentName } from "../../actions/components/components.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import type { Log } from "../../base/log.ts";
import { createLog } from "../../base/log-writer.ts";
import {
  type ClientConfiguration,
  clientConfiguration,
  printClusterInfo,
  updateClientConfiguration,
} from "../../client/config/print.ts";
import { createClientMetrics } from "../../client/requests/metrics.ts";
import type { Controller } from "../../controllers/contract.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { namesOf, parsePostgresTarget } from "../../kv/postgres/target.ts";
import type { User } from "../../machinery/meta/user.ts";
import { queueMetrics } from "../../metrics/queue-readings.ts";
import { createReadOnly } from "../../testkit/read-only.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { withNodes } from "../all-controllers.ts";
import type { ConsoleLink } from "../console/link.ts";
import { readControllerNames, startOwnControllers } from "../controllers.ts";
import { checkManifests } from "../flags/check-manifests.ts";
import { likeOf, likes } from "../flags/like.ts";
import { readAccountSigner, readControllerSettings } from "../flags/read-controllers.ts";
import { readElection } from "../flags/read-election.ts";
import { readSimulationFlags } from "../flags/read-simulation.ts";
import { upFlags } from "../flags/up-flags.ts";
import { type Election, leaderMetric } from "../lead.ts";
import { createSimulatedParts } from "../nodes/simulated-parts.ts";
import { openPki } from "../pki/pki.ts";
import { readPrivateFile, writePrivateFile } from "../pki/private-files.ts";
import { apiServerHosts } from "../pki/serving-hosts.ts";
import { type ApiServer, type ApiServerFlags, openApiServer } from "../programs/apiserver.ts";
import { type ElectedControllers, runElectedControllers } from "../programs/elected-controllers.ts";
import { recordRunning } from "../programs/running-server.ts";
import { openDataFolder, partsOf } from "../stores/data-folder.ts";
import { isShared } from "../stores/store.ts";
import { choiceOfStore, withChoicesOfFolder } from "../stores/store-choice.ts";
import type { TestingParts } from "../testing-parts.ts";
import { ctlBeside, ownCommand, quoted } from "./own-command.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { type UpFlags, withDump, withHistory, withoutAccounts, withPki, withStrictness } from "./up-choices.ts";

export async function runUp(args: readonly string[]): Promise<void> {
  const { values, given, warnings } = parseFlags(upFlags, args);
  const flags = withHistory(withDump(withStrictness(await withChoicesOfFolder(values, given)), given), given);
  if (flags.detach) {
    const { startInBackground } = await import("./background.ts");
    const { "data-dir": dataDir, "ready-file": readyFile, vocabulary, "emulated-version": level } = flags;
    return startInBackground(args, { dataDir, readyFile, vocabulary, like: likeOf(vocabulary, level) });
  }
  const log = createLog({ verbosity: flags.v, format: flags["log-format"] });
  for (const warning of warnings) log.warn(warning);
  await runUntilStopped(
    async () => {
      await checkManifests("load", flags.load);
      await checkManifests("from", flags.from);
      const folder = await openDataFolder(flags["data-dir"], flags.vocabulary);
      const vocabulary = vocabularyOf(flags.vocabulary);
      const pki = await openPki({
        folder: folder.pki,
        hosts: apiServerHosts(flags),
        adminName: `${vocabulary.name}-admin`,
        clock: systemClock,
      });
      const { server, startControllers } = await openWithControllers(
        // The link does what the page at the server's own port would do for people with a token.
        { ...withPki(flags, pki, folder.pki), console: false },
        pki.authority.certificate,
        log,
      );
      const access = { server: server.url, authority: pki.authority.certificate, ...pki.admin };
      const path = folder.clientConfiguration;
      const old = await readPrivateFile(path);
      const kubeconfig = clientConfiguration(access, vocabulary);
      const text = updateClientConfiguration(old, kubeconfig);
      if (old !== text) await writePrivateFile(path, text);
      await fill(server, flags, { log, startControllers });
      const link = await openLink(server, { flags, kubeconfig, log });
      const forget = await recordRunning(flags["data-dir"], { url: server.url, console: link?.url ?? "" });
      if (flags["ready-file"] !== "") await writePrivateFile(flags["ready-file"], `${server.url}\n`);
      process.stdout.write(introduction({ url: server.url, consoleUrl: link?.url }, flags, ownCommand()));
      // The message for the person comes first, because controllers begin by listing everything.
      setImmediate(startControllers);
      const stop = () => Promise.all([link?.close(), server.stop()]).then(forget);
      return { ...server, stop };
    },
    log,
    flags,
  );
}

/** The console acts as the person whose configuration is in the folder. Undefined: it was turned off, or is not built. */
async function openLink(
  { url, server }: ApiServer,
  { flags, kubeconfig, log }: { readonly flags: UpFlags; readonly kubeconfig: ClientConfiguration; readonly log: Log },
): Promise<ConsoleLink | undefined> {
  const { console: isWanted, "read-only": isReadOnly = false } = flags;
  if (!isWanted) return undefined;
  const { openConsoleLink } = await import("../console/link.ts");
  const vocabulary = vocabularyOf(flags.vocabulary);
  const user = { ...loader, name: `${vocabulary.name}-admin` };
  const fetch = createMemoryFetch(server.handler, { user });
  const streams = { clientConfig: async () => ({ kubeconfig }) };
  return openConsoleLink({ fetch, user, server: streams, vocabulary, name: url, isReadOnly }).catch(
    (error: unknown) => {
      log.warn("the console is not served", { error });
      return undefined;
    },
  );
}

/** What --load and --from name. Controllers run before objects are loaded that need theirs. */
async function fill(
  { server }: ApiServer,
  { load: path = "", from = "" }: UpFlags,
  { log, startControllers }: { readonly log: Log; startControllers(): void },
): Promise<void> {
  if (path === "" && from === "") return;
  const target = {
    catalog: server.catalog,
    fetch: createMemoryFetch(server.handler, { user: loader }),
    pause: () => sleep(systemClock, loadPauseMs),
  };
  if (path !== "") {
    startControllers();
    const { load } = await import("../../testkit/load/load.ts");
    log.info("objects loaded", { from: path, count: await load(target, path) });
  }
  if (from === "") return;
  const { fillFromDump } = await import("../stores/dump.ts");
  const { count, skipped, withoutStatus } = await fillFromDump(target, from);
  for (const why of skipped) log.warn("an object of the dump is not shown", { why });
  for (const why of withoutStatus) log.warn("an object of the dump is shown without its status", { why });
  log.info("objects of a dump are shown, and cannot be changed", { from, count });
}

/** How long controllers have for what was loaded before objects that were refused are tried again. */
const loadPauseMs = 200;
const loader: User = {
  name: "system:loader",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: new Map(),
};

type ControllersHere = Pick<ElectedControllers, "stats" | "close"> & Partial<ElectedControllers>;

interface UpServer {
  /** Controllers stop before the server does. */
  readonly server: ApiServer;
  startControllers(): void;
}

export async function openWithControllers(flags: UpFlags, ownAuthority: string, log: Log): Promise<UpServer> {
  // Where no scheduler is started, pods that wait for one say so.
  const names = flags.controllers.includes("*") ? [...flags.controllers, "unscheduled-pods"] : flags.controllers;
  const simulation = readSimulationFlags(flags);
  const simulated = createSimulatedParts(simulation, systemClock, log);
  const controllers = withNodes(readControllerNames(names), simulation, simulated);
  const makesAccounts = controllers.some(({ name }) => name === "serviceaccount");
  const vocabulary = vocabularyOf(flags.vocabulary);
  const settings = await readControllerSettings(flags, { vocabulary, clock: systemClock });
  const accountSigner = await readAccountSigner(flags, { vocabulary, clock: systemClock });
  const election = electionOf(flags, vocabulary);
  let running: ControllersHere | undefined;
  const testing = await openTesting(flags, vocabulary, log);
  const clientMetrics = createClientMetrics();
  const observe = clientMetrics.observer("in-process");
  const opened = await openApiServer({
    flags: makesAccounts ? flags : withoutAccounts(flags),
    clock: systemClock,
    log,
    ownAuthority,
    interventions: flags["read-only"] === true ? createReadOnly(loader) : testing?.interventions,
    routes: testing?.routes,
    faultPlans: testing !== undefined,
    makesAccounts,
    simulated,
    startWorkspaceControllers: (inside, workspace, mayWrite) =>
      startOwnControllers({
        server: inside,
        controllers: readControllerNames(names),
        // Who approves requests in a workspace must not get a certificate that the root trusts.
        settings: { ...settings, signers: new Map(), signAccountToken: accountSigner?.(workspace) },
        clock: systemClock,
        log,
        useAccounts: flags["use-service-account-credentials"],
        mayWrite,
      }),
    // Where a lease decides, it also tells whether they run anywhere.
    runningHere: () => componentsOf(running === undefined || election !== undefined ? [] : controllers),
    metrics: [
      ...queueMetrics(() => running?.stats ?? [], systemClock.monotonic),
      ...clientMetrics.all,
      ...(election === undefined ? [] : [leaderMetric(() => running?.leases ?? [])]),
    ],
  });
  const { server } = opened;
  const plans = await testing?.follow(server);
  const useAccounts = flags["use-service-account-credentials"];
  let stopped = false;
  return {
    startControllers() {
      if (stopped || running !== undefined) return;
      // The account of the signer may change cluster-info, but not create it.
      const access = { server: opened.url, authority: settings.rootCa ?? ownAuthority };
      const clusterInfo = useAccounts ? undefined : printClusterInfo(access);
      const start = (chosen: readonly Controller[], mayWrite?: () => boolean) =>
        startOwnControllers({
          server,
          controllers: chosen,
          settings: { ...settings, clusterInfo },
          clock: systemClock,
          log,
          useAccounts,
          observe,
          mayWrite,
        });
      running =
        election === undefined
          ? start(controllers)
          : runElectedControllers({ server, controllers, election, clock: systemClock, log, start });
    },
    server: {
      ...opened,
      async stop() {
        stopped = true;
        plans?.close();
        await running?.close();
        await simulated?.agents.close();
        await opened.stop();
      },
    },
  };
}

/** Of several servers on one store each part runs in one. Undefined: no other server has the store, or the person wants otherwise. */
function electionOf(flags: UpFlags, vocabulary: Vocabulary): Election | undefined {
  return flags["leader-elect"] && isShared(choiceOfStore(flags)) ? readElection(flags, vocabulary) : undefined;
}

/** Which parts of a control plane these controllers are. */
function componentsOf(controllers: readonly Controller[]): readonly ComponentName[] {
  const isScheduler = ({ name }: Controller) => name === "scheduler";
  return [
    ...(controllers.some((one) => !isScheduler(one)) ? (["controller-manager"] as const) : []),
    ...(controllers.some(isScheduler) ? (["scheduler"] as const) : []),
  ];
}

/** Undefined: testing is not enabled, and nothing of it is loaded. */
async function openTesting(
  { "enable-testing": isEnabled = false, "read-only": isReadOnly = false }: UpFlags,
  vocabulary: Vocabulary,
  log: Log,
): Promise<TestingParts | undefined> {
  if (!isEnabled) return undefined;
  if (isReadOnly) throw new FlagError("--enable-testing: faults are planned by writes, which --read-only refuses");
  log.warn("testing is enabled: requests are recorded, and FaultPlan objects make them fail");
  const { createTestingParts } = await import("../testing-parts.ts");
  return createTestingParts({ vocabulary, clock: systemClock, log });
}

/** What a person can do next, as commands for a shell. */
export function introduction(
  { url, consoleUrl }: { readonly url: string; readonly consoleUrl?: string | undefined },
  flags: ApiServerFlags,
  orch: string,
): string {
  const folder = partsOf(resolve(flags["data-dir"]));
  const isKubernetes = flags.vocabulary === "kubernetes";
  const tool = isKubernetes ? "kubectl" : ctlBeside(orch);
  const user = `${orch} user jane --data-dir=${quoted(resolve(flags["data-dir"]))} --out=jane.conf`;
  const hint = isKubernetes
    ? ""
    : `\n  kubectl and other existing clients need --like=${likes[0]} and a separate --data-dir.\n`;
  return `orch serves ${url} like ${likeOf(flags.vocabulary, flags["emulated-version"])}

  client configuration   ${folder.clientConfiguration}
  objects are kept in    ${placeOf(flags)}
${consoleUrl === undefined ? "" : `  console in a browser   ${consoleUrl}\n`}
  try it:
    export KUBECONFIG=${quoted(folder.clientConfiguration)}
    ${tool} get namespaces
${hint}
  add a second person, who may read everything in the namespace default:
    ${user}
    ${tool} create rolebinding jane --clusterrole=view --user=jane --namespace=default

Press Ctrl+C to stop.
`;
}

function placeOf(flags: ApiServerFlags): string {
  switch (choiceOfStore(flags)) {
    case "memory":
      return "memory, until it stops";
    case "etcd":
      return flags["kvstore-servers"].join(", ") || "etcd";
    case "postgres":
      return namesOf(parsePostgresTarget(flags.store));
    case "embedded":
      return resolve(flags["data-dir"]);
  }
}
