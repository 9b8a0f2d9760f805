/** One run of a server inside another program: from its store to its controllers. A reset replaces it by another. */

import type { Clock } from "../../base/clock.ts";
import type { Tracing } from "../../base/tracing.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Interventions } from "../../http/contract/interventions.ts";
import type { Route } from "../../http/contract/routes.ts";
import type { Kv } from "../../kv/contract.ts";
import type { MemoryKv } from "../../kv/memory/memory.ts";
import type { VirtualClock } from "../../testkit/virtual-clock.ts";
import { createWaits, type ServerWaits } from "../../testkit/waits.ts";
import type { ProcessHold } from "../programs/process-hold.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { openServerWithWorkspaces } from "../workspaces/serve.ts";
import type { Workspaces } from "../workspaces/workspaces.ts";
import { type AccountKeys, startLibraryControllers } from "./controllers.ts";
import type { FollowedWork } from "./followed-work.ts";
import type { LazyPki } from "./lazy-pki.ts";
import type { CreateServerOptions } from "./options.ts";
import { RunChoices } from "./run-choices.ts";

/** What the runs of one server share, and its forks too. */
export interface Own {
  readonly pki: LazyPki;
  readonly keys: () => AccountKeys;
  readonly hold: ProcessHold;
  readonly interventions: Interventions;
  readonly routes: readonly Route[];
  readonly work: FollowedWork;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Undefined: not listening. */
  url(): string | undefined;
}

/** What a run begins with. */
export interface Beginning {
  readonly clock: Clock;
  /** The clock, if it is virtual. */
  readonly virtual: VirtualClock | undefined;
  readonly kv: Kv;
  /** The store, if it can be forked. */
  readonly memory: MemoryKv | undefined;
  readonly continues?: ServerOptions["store"]["continues"];
}

export interface Inner extends Beginning {
  readonly server: Server;
  /** Undefined: there are none. */
  readonly workspaces: Workspaces | undefined;
  readonly waits: ServerWaits;
  /** Stops what must stop before the server does. */
  stop(): Promise<void>;
}

export function openInner(options: CreateServerOptions, own: Own, beginning: Beginning): Promise<Inner> {
  const open = () => openRun(options, own, beginning);
  // What a server does by itself is no part of what its program was doing when it opened it.
  return own.tracing === undefined ? open() : own.tracing.apart(open);
}

async function openRun(options: CreateServerOptions, own: Own, beginning: Beginning): Promise<Inner> {
  const { clock, virtual } = beginning;
  const { pki, keys, hold } = own;
  let running: RunningControllers | undefined;
  let isStopped = false;
  const choices = new RunChoices(options, own, beginning, () => running?.stats ?? []);
  const { log, vocabulary, controllers } = choices;
  const { random } = options;
  const opened = options.workspaces
    ? await openServerWithWorkspaces(choices.serverOptions(), choices.workspaceServers())
    : undefined;
  const server = opened ?? (await openServer(choices.serverOptions()));
  // After the caller has its server: a short test does not pay for what it does not use.
  const started = new Promise<void>((resolve) => {
    setImmediate(() => {
      resolve();
      if (isStopped) return;
      server.startUpkeep();
      const authority = () => pki.made().authority;
      const parts = { server, controllers, keys, authority, vocabulary, clock, log, random };
      if (controllers.length > 0) running = startLibraryControllers(parts);
    });
  });
  const queues = () => [...(running?.stats ?? []), ...own.work.queues(), ...(opened?.workspaces.queues ?? [])];
  const waits = createWaits({ server, clock, virtual, started, queues, hold });
  return {
    ...beginning,
    workspaces: opened?.workspaces,
    server,
    waits,
    async stop() {
      isStopped = true;
      await running?.close();
      await choices.simulated?.agents.close();
    },
  };
}
