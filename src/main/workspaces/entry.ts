/** Who may enter a workspace, and who they are inside. */

import { type Authentication, type AuthenticationOutcome, anonymousUser } from "../../authn/contract.ts";
import { type Attributes, type Decision, noOpinion } from "../../authz/contract.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { ServerAccess } from "../server/options.ts";
import { rootName } from "./target.ts";

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
  const user = await userOf({ access, anonymous }, exchange);
  if (user === undefined) return undefined;
  const decision = await decide(access, contentAttributes(user, "access", name));
  return decision.outcome === "allow" ? user : undefined;
}

/** Undefined: the credential is wrong, or one is needed. */
async function userOf({ access, anonymous }: EntryOptions, exchange: Exchange): Promise<User | undefined> {
  const user = exchange.presetUser ?? (await authenticated(() => access.authenticator.authenticate(exchange)));
  return user === anonymousUser && !takesAnonymous(anonymous, exchange.target) ? undefined : user;
}

/** Whether a user may make types of all that a workspace holds, secrets included: no right inside is asked for. */
export async function mayCopyContent(access: EntryOptions["access"], user: User, name: string): Promise<boolean> {
  return (await decide(access, contentAttributes(user, "copy", name))).outcome === "allow";
}

/** Whether a user may read what is in all workspaces: a rule that names some of them is not enough. */
export async function mayReadAll(
  access: Pick<ServerAccess, "authorizer">,
  user: User,
  verb: "list" | "watch",
): Promise<boolean> {
  return (await decide(access, contentAttributes(user, verb, ""))).outcome === "allow";
}

/** The user of the request if they may read what is in all workspaces. */
export async function enteringAll({ access, anonymous }: EntryOptions, exchange: Exchange): Promise<User | undefined> {
  const user = await userOf({ access, anonymous }, exchange);
  return user !== undefined && (await mayReadAll(access, user, "list")) ? user : undefined;
}

const takesAnonymous = (anonymous: EntryOptions["anonymous"], path: string) =>
  typeof anonymous === "boolean" ? anonymous : anonymous(path);

/** A right on workspaces/content of this name: `access` to be in it. */
function contentAttributes(user: User, verb: "access" | "copy" | "list" | "watch", name: string): Attributes {
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
    name,
  };
}

async function decide({ authorizer }: Pick<ServerAccess, "authorizer">, attributes: Attributes): Promise<Decision> {
  try {
    return await authorizer.authorize(attributes);
  } catch {
    return noOpinion; // the root's own answer says what is wrong
  }
}

/** Undefined: the credential is wrong. */
async function authenticated(
  authenticate: () => AuthenticationOutcome | Promise<AuthenticationOutcome>,
): Promise<User | undefined> {
  let found: Authentication | "rejected" | undefined;
  try {
    found = await authenticate();
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
