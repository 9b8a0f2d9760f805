/** Who may enter a workspace, and who they are inside. */

import { type Authentication, type AuthenticationOutcome, anonymousUser } from "../../authn/contract.ts";
import { type Attributes, type Decision, noOpinion } from "../../authz/contract.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { ServerAccess } from "../server/options.ts";
import { allWorkspaces, rootName } from "./target.ts";

export const tenancyGroup = "tenancy.orch.io";

interface EntryOptions {
  readonly access: Pick<ServerAccess, "authenticator" | "authorizer">;
  readonly anonymous: boolean | ((path: string) => boolean);
}

/** The user of the request if the root lets them into workspaces of this name, whether or not there is one. */
export async function entering(
  { access, anonymous }: EntryOptions,
  exchange: Exchange,
  name: string,
): Promise<User | undefined> {
  const user = exchange.presetUser ?? (await authenticated(access.authenticator.authenticate(exchange)));
  if (user === undefined) return undefined;
  if (user === anonymousUser && !takesAnonymous(anonymous, exchange.target)) return undefined;
  const decision = await decide(access, contentAttributes(user, "access", name));
  return decision.outcome === "allow" ? user : undefined;
}

/** Whether a user may make types of all that a workspace holds, secrets included: no right inside is asked for. */
export async function mayCopyContent(access: EntryOptions["access"], user: User, name: string): Promise<boolean> {
  return (await decide(access, contentAttributes(user, "copy", name))).outcome === "allow";
}

const takesAnonymous = (anonymous: EntryOptions["anonymous"], path: string) =>
  typeof anonymous === "boolean" ? anonymous : anonymous(path);

/** A right on workspaces/content of this name: `access` to be in it. */
function contentAttributes(user: User, verb: "access" | "copy", name: string): Attributes {
  return {
    user,
    verb,
    isResource: true,
    path: "",
    group: tenancyGroup,
    version: "v1alpha1",
    resource: "workspaces",
    subresource: "content",
    namespace: "",
    name: name === allWorkspaces ? "" : name,
  };
}

async function decide({ authorizer }: EntryOptions["access"], attributes: Attributes): Promise<Decision> {
  try {
    return await authorizer.authorize(attributes);
  } catch {
    return noOpinion; // the root's own answer says what is wrong
  }
}

/** Undefined: the credential is wrong. */
async function authenticated(
  outcome: AuthenticationOutcome | Promise<AuthenticationOutcome>,
): Promise<User | undefined> {
  let found: Authentication | "rejected" | undefined;
  try {
    found = await outcome;
  } catch {
    return undefined; // as above
  }
  if (found === "rejected") return undefined;
  return found === undefined ? anonymousUser : found.user;
}

/** A service account of the root is not the account of the same name inside. */
export function insideUser(user: User): User {
  const name = insideName(user.name);
  const groups = user.groups.filter((group) => !isAccountGroup(group));
  return name === user.name && groups.length === user.groups.length ? user : { ...user, name, groups };
}

export const insideName = (name: string) => (name.startsWith("system:serviceaccount:") ? `${rootName}:${name}` : name);

const isAccountGroup = (group: string) =>
  group === "system:serviceaccounts" || group.startsWith("system:serviceaccounts:");
