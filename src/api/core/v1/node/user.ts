/** The users that node agents are: `system:node:NAME` in the group `system:nodes`. */

const userPrefix = "system:node:";
const nodesGroup = "system:nodes";

/** The name of the user's node. Undefined: not a node. Empty: a node without a name, which may do nothing. */
export function nodeNameOf(user: { readonly name: string; readonly groups: readonly string[] }): string | undefined {
  if (!user.name.startsWith(userPrefix) || !user.groups.includes(nodesGroup)) return undefined;
  return user.name.slice(userPrefix.length);
}
