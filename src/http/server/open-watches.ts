/** The open watches: how many each user has, and whether the user may still watch. */

import { TimeSlice } from "../../base/time-slice.ts";
import { tooManyRequests } from "../../machinery/status/status.ts";
import type { HandlerOptions } from "../contract/handler-options.ts";
import type { Call } from "../request/call.ts";
import { impersonate } from "../request/impersonate.ts";

/** Watches that one user may have at the same time. */
export const watchesPerUserMax = 20_000;
/** Requirements in the selectors of all watches of one user: each of them may be evaluated for every change. */
export const watchTermsPerUserMax = 200_000;

/** Seconds after which a client that has too many watches may try again. */
const retrySeconds = 5;

type Access = Pick<HandlerOptions, "authenticator" | "authorizer" | "anonymous" | "log" | "catalog">;

interface OpenWatch {
  readonly call: Call;
  readonly finish: () => void;
}

interface Share {
  watches: number;
  terms: number;
}

export class OpenWatches {
  readonly #access: Access;
  readonly #watches = new Set<OpenWatch>();
  readonly #shares = new Map<string, Share>();
  #checking = false;
  #checkAgain = false;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Counts a watch for its user, and throws 429 when there are too many. The returned function releases its share. */
  add(call: Call, terms: number, finish: () => void): () => void {
    const name = call.user.name;
    const share = this.#shares.get(name) ?? { watches: 0, terms: 0 };
    if (share.watches >= watchesPerUserMax) {
      throw tooManyRequests(
        `user "${name}" has ${share.watches} watches open, at most ${watchesPerUserMax} are allowed`,
        retrySeconds,
      );
    }
    if (share.terms + terms > watchTermsPerUserMax) {
      const text = `the selectors of all watches of user "${name}" may have at most ${watchTermsPerUserMax} requirements`;
      throw tooManyRequests(text, retrySeconds);
    }
    share.watches += 1;
    share.terms += terms;
    this.#shares.set(name, share);
    const watch = { call, finish };
    this.#watches.add(watch);
    return () => {
      if (!this.#watches.delete(watch)) return;
      share.watches -= 1;
      share.terms -= terms;
      if (share.watches === 0) this.#shares.delete(name);
    };
  }

  endAll(): void {
    for (const { finish } of [...this.#watches]) finish();
  }

  /** Ends every watch whose user may no longer watch: the client reconnects and its error says why. */
  async checkAccess(): Promise<void> {
    this.#checkAgain = true;
    if (this.#checking) return;
    this.#checking = true;
    try {
      while (this.#checkAgain) {
        this.#checkAgain = false;
        const slice = new TimeSlice();
        for (const watch of [...this.#watches]) {
          if (!(await this.#mayGoOn(watch.call))) watch.finish();
          if (slice.isOver) await slice.next();
        }
      }
    } finally {
      this.#checking = false;
    }
  }

  async #mayGoOn(call: Call): Promise<boolean> {
    const { authorizer, log } = this.#access;
    try {
      const user = await this.#userOf(call);
      if (user === undefined) return false;
      const { verb, isResource, path, group, version, resource, subresource, namespace, name } = call;
      const place = { isResource, path, group, version, resource, subresource, namespace, name };
      return (await authorizer.authorize({ user, verb, ...place })).outcome === "allow";
    } catch (cause) {
      log.info("a watch ends because its access can no longer be checked", { cause, auditId: call.auditId });
      return false;
    }
  }

  /** The user of the credential now; undefined: the credential is no longer accepted. */
  async #userOf(call: Call): Promise<Call["user"] | undefined> {
    const { authenticator, authorizer, catalog } = this.#access;
    const { exchange } = call;
    if (exchange.userNow !== undefined) {
      const user = await exchange.userNow();
      return user && (await impersonate(exchange, user, authorizer, catalog.environment));
    }
    if (exchange.presetUser !== undefined || call.authenticatedBy === "anonymous") return call.user;
    const outcome = await authenticator.authenticate(exchange);
    if (outcome === undefined || outcome === "rejected") return undefined;
    return await impersonate(exchange, outcome.user, authorizer, catalog.environment);
  }
}
