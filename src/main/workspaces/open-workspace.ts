/** One workspace that is open: a server over its view of the store, with its controllers once something is written. */

import { createHmac } from "node:crypto";
import type { Audit } from "../../audit/contract.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Fairness } from "../../flowcontrol/contract.ts";
import type { KvView } from "../../kv/views/view.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import type { WorkspaceTypes } from "./types.ts";
import type { WorkspaceUsage } from "./usage.ts";

interface WorkspaceParts {
  readonly name: string;
  readonly uid: string;
  readonly base: string;
  readonly view: KvView;
  readonly types: WorkspaceTypes;
  readonly usage: WorkspaceUsage;
  /** Of which those of each workspace are made. */
  readonly rootKey: Uint8Array;
  optionsOf(store: ServerOptions["store"]): ServerOptions;
  readonly store: ServerOptions["store"];
  startControllers?: ((server: Server) => RunningControllers) | undefined;
  /** Whether this server runs the controllers of workspaces. */
  mayAct(): boolean;
  /** Called with each reason to act: what is written here or, where other servers write too, there. */
  onWork(): void;
  /** Called when its controllers are about to start. */
  onAct(): void;
}

export class OpenWorkspace {
  readonly name: string;
  readonly uid: string;
  readonly server: Server;
  readonly view: KvView;
  readonly #parts: WorkspaceParts;
  #running: RunningControllers | undefined;
  #isWorking = false;
  #closed: Promise<void> | undefined;
  /** Requests in progress, watches and streams included. */
  active = 0;
  usedAtMs = 0;
  /** When there was last a reason to act. */
  workedAtMs = Number.NEGATIVE_INFINITY;

  static async open(parts: WorkspaceParts): Promise<OpenWorkspace> {
    const { view, types, base, uid, rootKey, store } = parts;
    const { shared } = await types.open(base);
    const continueKey = createHmac("sha256", rootKey).update(uid).digest();
    const { usage } = parts;
    let opened: OpenWorkspace | undefined;
    const changes = async () => {
      const own = await view.ownChanges();
      usage.take(own.changes);
      const { revision } = own;
      // A change that came meanwhile is among those that were read.
      view.onChanges = (later) => {
        usage.take(later.filter((change) => change.revision > revision));
        if (store.isShared && parts.mayAct()) opened?.work();
      };
      return own;
    };
    const continues = { shared, changes };
    const server = await openServer(parts.optionsOf({ ...store, kv: view, continues, continueKey }));
    opened = new OpenWorkspace(parts, server);
    return opened;
  }

  private constructor(parts: WorkspaceParts, server: Server) {
    this.name = parts.name;
    this.uid = parts.uid;
    this.server = server;
    this.view = parts.view;
    this.#parts = parts;
  }

  /** Something is about to be written, or somebody waits for something to happen: what acts on objects starts. */
  work(): void {
    this.#parts.onWork();
    if (this.#isWorking) return;
    this.#isWorking = true;
    setImmediate(() => {
      if (this.#closed !== undefined) return;
      this.server.startUpkeep();
      this.act();
    });
  }

  /** Starts its controllers if there is a reason for them, and this server runs them. */
  act(): void {
    const { startControllers, mayAct, onAct } = this.#parts;
    if (!this.#isWorking || this.#closed !== undefined || this.#running !== undefined) return;
    if (startControllers === undefined || !mayAct()) return;
    onAct();
    this.#running = startControllers(this.server);
  }

  /** Resolves when its controllers have stopped. */
  async rest(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.close();
  }

  /** Whether its controllers run. */
  get isActing(): boolean {
    return this.#running !== undefined;
  }

  /** In how many milliseconds its controllers have something to do for which they wait. Undefined: nothing. */
  get dueInMs(): number | undefined {
    return this.isBusy ? 0 : this.#running?.dueInMs();
  }

  /** Whether its controllers have something to do, apart from what waits for a time. */
  get isBusy(): boolean {
    return (this.#running?.stats ?? []).some(
      ({ running, depth, retrying }) => running.size + depth + retrying.size > 0,
    );
  }

  get queues(): RunningControllers["stats"] {
    return this.#running?.stats ?? [];
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.server.lifecycle.end();
    await this.rest();
    await this.server.close();
  }
}

/** All requests of a workspace are one flow of the root, whoever sends them: a workspace cannot make itself more important. */
export function asOneFlow(fairness: Fairness, name: string): Fairness {
  const user: User = {
    name: `workspace:${name}`,
    uid: "",
    groups: ["system:authenticated"],
    extra: new Map(),
  };
  return {
    admit: ({ verb, isResource, path, group, version, resource, subresource, namespace, name: object }, nowMs, width) =>
      fairness.admit(
        { verb, isResource, path, group, version, resource, subresource, namespace, name: object, user },
        nowMs,
        width,
      ),
  };
}

/** Events say which workspace they are of, and the URI that the client has sent. */
export function auditOf(audit: Audit, name: string, annotation: string): Audit {
  return {
    ...audit,
    begin(request) {
      const record = audit.begin({ ...request, uri: `/clusters/${name}${request.uri}` });
      record?.annotate(annotation, name);
      return record;
    },
  };
}
