/** The user whom a client acts as, in the headers of its requests. */

export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One header for each member of a list: a group may contain a comma. */
export function impersonationHeaders({ user, groups, extra }: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": user };
  if (groups.length > 0) headers["impersonate-group"] = [...groups];
  for (const [key, values] of Object.entries(extra))
    if (values.length > 0) headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = [...values];
  return headers;
}
