/** The user name and groups of a service account. */

const accountsGroup = "system:serviceaccounts";
const prefix = "system:serviceaccount:";

interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

export const accountUserName = ({ namespace, name }: AccountName): string => `${prefix}${namespace}:${name}`;

export const accountGroups = (namespace: string): string[] => [accountsGroup, `${accountsGroup}:${namespace}`];

/** Undefined: the name is not that of a service account. */
export function parseAccountUserName(userName: string): AccountName | undefined {
  if (!userName.startsWith(prefix)) return undefined;
  const parts = userName.slice(prefix.length).split(":");
  const [namespace = "", name = ""] = parts;
  return parts.length === 2 && isLabel(namespace) && isSubdomain(name) ? { namespace, name } : undefined;
}

function isLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));
}
