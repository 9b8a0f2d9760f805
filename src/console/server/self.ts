/** Who the user is. */

import type { Discovery } from "../../client/discovery/discovery.ts";
import { apiVersionOf, collectionPath } from "../../client/requests/address.ts";
import type { Connection } from "./connection.ts";
import { part, text } from "./json.ts";

export interface Self {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The current user: from a SelfSubjectReview or, with servers before 1.28, from the credentials. Undefined: they name no user. */
export async function readSelf({
  connection,
  discovery,
}: {
  readonly connection: Connection;
  readonly discovery: Discovery;
}): Promise<Self | undefined> {
  const resource = discovery.find("selfsubjectreviews");
  if (resource === undefined) return connection.facts.user;
  const body = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const answer = await connection.send.json(collectionPath(resource, undefined), { body });
  const user = part(answer, "status", "userInfo");
  const groups = user["groups"];
  return { name: text(user, "username"), groups: Array.isArray(groups) ? groups.map(String) : [] };
}
