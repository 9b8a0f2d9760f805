/** Controllers inside the process of a server: they call it without a socket, each as its own user. */

import { randomInt } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { FlagError } from "../base/flags/flag.ts";
import type { Log } from "../base/log.ts";
import { createClient } from "../client/client.ts";
import type { Client, Fetch } from "../client/contract.ts";
import { whileLeading } from "../client/leader/while-leading.ts";
import type { ObserveRequest } from "../client/requests/metrics.ts";
import { withCauses } from "../controllers/causes.ts";
import { absentControllers, chooseControllers, unknownController } from "../controllers/choose.ts";
import type { Controller } from "../controllers/contract.ts";
import { withShortNames } from "../controllers/names.ts";
import { type RunningControllers, runControllers } from "../controllers/run.ts";
import type { Settings } from "../controllers/settings.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import type { User } from "../machinery/meta/user.ts";
import { allControllers } from "./all-controllers.ts";
import type { Server } from "./server.ts";
import { shareDiscovery } from "./shared-discovery.ts";
import { shareObjects } from "./shared-objects.ts";
import { releaseOf } from "./version.ts";

interface OwnControllersOptions {
  readonly server: Pick<Server, "handler" | "catalog" | "registry" | "keepsHistory">;
  readonly controllers: readonly Controller[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Each controller uses its own account with its own rights. Otherwise all controllers may do everything. */
  readonly useAccounts: boolean;
  readonly random?: ((below: number) => number) | undefined;
  /** Counts the requests of the controllers. Absent: they are not counted. */
  readonly observe?: ObserveRequest;
  /** False while another process may run the same controllers. Absent: none does. */
  readonly mayWrite?: (() => boolean) | undefined;
}

export function startOwnControllers(options: OwnControllersOptions): RunningControllers {
  const { server, settings, clock, log, mayWrite, random = (below) => randomInt(below) } = options;
  const { environment } = server.catalog;
  const { vocabulary } = environment;
  const manager = vocabulary.word("orch-controller-manager");
  const shared = shareObjects(server);
  const sharedVersion = shareDiscovery(server.catalog);
  const fetchAs = (user: User): Fetch => {
    const plain = createMemoryFetch(server.handler, { user });
    const fetch = mayWrite === undefined ? plain : whileLeading(plain, mayWrite);
    return server.keepsHistory ? withCauses(fetch) : fetch;
  };
  const clientAs = (user: User): Client =>
    createClient({
      fetch: fetchAs(user),
      vocabulary,
      clock,
      userAgent: `${manager}/${releaseOf(environment.level).text}`,
      shared,
      sharedVersion,
      observe: options.observe,
    });
  const client = clientAs(userOf(`system:${manager}`, ["system:masters"]));
  const namespace = vocabulary.word("orch-system");
  return runControllers({
    controllers: options.controllers,
    client,
    clientOf: ({ account }) =>
      options.useAccounts && account !== undefined
        ? clientAs(
            userOf(`system:serviceaccount:${namespace}:${account}`, [
              "system:serviceaccounts",
              `system:serviceaccounts:${namespace}`,
            ]),
          )
        : client,
    settings,
    environment,
    clock,
    log,
    random,
    sendsCauses: server.keepsHistory,
  });
}

const userOf = (name: string, groups: readonly string[]): User => ({
  name,
  uid: "",
  groups: [...groups, "system:authenticated"],
  extra: new Map(),
});

/** The controllers that --controllers selects; throws FlagError when it names one that does not exist. */
export function readControllerNames(given: readonly string[], flag = "--controllers"): readonly Controller[] {
  const known = [...allControllers.map(({ name }) => name), ...Object.keys(absentControllers)];
  const names = withShortNames(given, known);
  const problem = unknownController(known, names);
  if (problem !== undefined) throw new FlagError(`${flag}: ${problem}`);
  for (const name of names) {
    const reason = absentControllers[name];
    if (reason !== undefined) throw new FlagError(`${flag}: ${name} is not there: ${reason}`);
  }
  return chooseControllers(allControllers, names);
}
