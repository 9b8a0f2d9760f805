/** Impersonation: the Impersonate-* headers name a user, groups and extra attributes, each of which is authorized separately. */

import { anonymousUser, type Credentials } from "../../authn/contract.ts";
import { decodeExtraKey } from "../../authn/front-proxy.ts";
import type { Attributes, Authorizer } from "../../authz/contract.ts";
import { accountGroups, parseAccountUserName } from "../../machinery/meta/service-account-name.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Environment } from "../../machinery/schema/environment.ts";
import { badRequest, forbiddenRequest } from "../../machinery/status/status.ts";

/** Each group and each extra value costs an authorization. */
export const groupsMax = 100;
export const extraValuesMax = 100;

const userHeader = "impersonate-user";
const uidHeader = "impersonate-uid";
const groupHeader = "impersonate-group";
const extraPrefix = "impersonate-extra-";

/** The user whom the request acts as: `caller` itself without such headers. Throws 403 if it may not impersonate. */
export function impersonate(
  credentials: Credentials,
  caller: User,
  authorizer: Authorizer,
  { vocabulary, has }: Pick<Environment, "vocabulary" | "has">,
): User | Promise<User> {
  const wanted = readHeaders(credentials, has("impersonatedUids"));
  if (wanted === undefined) return caller;
  return authorized(wanted, caller, authorizer, vocabulary.group("authentication.orch.io"));
}

interface Wanted {
  readonly name: string;
  /** "": none. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * Undefined: no impersonation. The first of two user headers counts, and an empty one counts as absent. `hasUid`: whether the
 * server's level knows the header of uids.
 */
function readHeaders(credentials: Credentials, hasUid: boolean): Wanted | undefined {
  const name = credentials.headerValues(userHeader)[0] ?? "";
  const uid = hasUid ? (credentials.headerValues(uidHeader)[0] ?? "") : "";
  const groups = credentials.headerValues(groupHeader);
  const extra = new Map<string, string[]>();
  let values = 0;
  for (const header of new Set(credentials.headerNames())) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = decodeExtraKey(header.slice(extraPrefix.length));
    const given = credentials.headerValues(header);
    values += given.length;
    extra.set(key, [...(extra.get(key) ?? []), ...given]);
  }
  if (name === "") {
    if (groups.length === 0 && extra.size === 0 && uid === "") return undefined;
    throw badRequest("Impersonate-Uid, -Group and -Extra headers require an Impersonate-User header");
  }
  if (groups.length > groupsMax) throw badRequest(`at most ${groupsMax} groups can be impersonated at once`);
  if (values > extraValuesMax) throw badRequest(`at most ${extraValuesMax} extra values can be impersonated at once`);
  return { name, uid, groups, extra };
}

async function authorized(wanted: Wanted, caller: User, authorizer: Authorizer, group: string): Promise<User> {
  const check = (target: Partial<Attributes>) => authorize(authorizer, caller, target);
  const account = parseAccountUserName(wanted.name);
  if (account === undefined) await check({ resource: "users", name: wanted.name });
  else await check({ resource: "serviceaccounts", namespace: account.namespace, name: account.name });
  for (const name of wanted.groups) await check({ resource: "groups", name });
  for (const [key, values] of wanted.extra) {
    for (const value of values) {
      await check({ group, version: "v1", resource: "userextras", subresource: key, name: value });
    }
  }
  if (wanted.uid !== "") await check({ group, version: "v1", resource: "uids", name: wanted.uid });
  return { name: wanted.name, uid: wanted.uid, groups: groupsOf(wanted, account), extra: wanted.extra };
}

async function authorize(authorizer: Authorizer, user: User, target: Partial<Attributes>): Promise<void> {
  const asked: Attributes = {
    user,
    verb: "impersonate",
    isResource: true,
    path: "",
    group: "",
    version: "v1",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    ...target,
  };
  const decision = await authorizer.authorize(asked);
  if (decision.outcome === "allow") return;
  const what = asked.subresource === "" ? asked.resource : `${asked.resource}/${asked.subresource}`;
  const where = asked.namespace === "" ? "at the cluster scope" : `in the namespace "${asked.namespace}"`;
  const why = decision.reason === "" ? "" : `: ${decision.reason}`;
  throw forbiddenRequest(
    { group: asked.group, kind: asked.resource },
    asked.name,
    `User "${user.name}" cannot impersonate resource "${what}" in API group "${asked.group}" ${where}${why}`,
  );
}

/** Groups from headers are used alone; a service account without any gets its own. Every user but anonymous is authenticated. */
function groupsOf({ name, groups }: Wanted, account: { namespace: string } | undefined): readonly string[] {
  const given = groups.length === 0 && account !== undefined ? accountGroups(account.namespace) : groups;
  if (name === anonymousUser.name) {
    return given.includes("system:unauthenticated") ? given : [...given, "system:unauthenticated"];
  }
  const settled = given.includes("system:authenticated") || given.includes("system:unauthenticated");
  return settled ? given : [...given, "system:authenticated"];
}
