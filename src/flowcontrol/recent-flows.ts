/**
 * Caches the flows of the latest requests of each user: most requests differ from an earlier one only in the name of
 * the object.
 */

import type { Attributes } from "../authz/contract.ts";
import type { User } from "../machinery/meta/user.ts";
import type { SchemaFlows } from "./flow.ts";

/** Users whose flows are remembered. When there are more, all are forgotten. */
export const recentUsersMax = 1_024;
/** Kinds of requests that are cached for one user; a new one replaces the oldest. */
export const recentRequestsMax = 8;

/** The flow of a request: everything that entering its level needs. */
export interface Flow {
  readonly schema: SchemaFlows;
  readonly distinguisher: string;
  /** The queues that it may use. */
  readonly hand: readonly number[];
}

/** What decides about the flow of a request, apart from the user. */
type Sort = Pick<Attributes, "isResource" | "verb" | "path" | "group" | "resource" | "subresource" | "namespace">;

interface UserFlows {
  /** Another object with the same name may have other groups. */
  readonly user: User;
  readonly known: { readonly sort: Sort; readonly flow: Flow }[];
  oldest: number;
}

/** Valid for one configuration; a new one is made with each change. */
export class RecentFlows {
  readonly #byUser = new Map<string, UserFlows>();

  find(request: Attributes): Flow | undefined {
    const flows = this.#byUser.get(request.user.name);
    if (flows === undefined || flows.user !== request.user) return undefined;
    for (const { sort, flow } of flows.known) if (isOf(sort, request)) return flow;
    return undefined;
  }

  remember(request: Attributes, flow: Flow): void {
    const { user, isResource, verb, path, group, resource, subresource, namespace } = request;
    const added = { sort: { isResource, verb, path, group, resource, subresource, namespace }, flow };
    const flows = this.#byUser.get(user.name);
    if (flows === undefined || flows.user !== user) {
      if (this.#byUser.size >= recentUsersMax) this.#byUser.clear();
      this.#byUser.set(user.name, { user, known: [added], oldest: 0 });
    } else if (flows.known.length < recentRequestsMax) flows.known.push(added);
    else {
      flows.known[flows.oldest] = added;
      flows.oldest = (flows.oldest + 1) % recentRequestsMax;
    }
  }
}

function isOf(sort: Sort, request: Attributes): boolean {
  if (sort.isResource !== request.isResource || sort.verb !== request.verb) return false;
  if (!sort.isResource) return sort.path === request.path;
  return (
    sort.resource === request.resource &&
    sort.namespace === request.namespace &&
    sort.group === request.group &&
    sort.subresource === request.subresource
  );
}
