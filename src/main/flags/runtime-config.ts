/** Which group versions and resources are served: --runtime-config as a function. */

/** Whether a version of a resource is served; the group is the spoken name. */
export type IsServed = (group: string, version: string, resource: string) => boolean;

/**
 * The most exact entry decides: `batch/v1beta1/cronjobs`, then `batch/v1beta1` (`v1` or `api/v1` for the core group),
 * then `api/alpha`, `api/beta` or `api/ga`, then `api/all`. Without any, alpha versions are off.
 */
export function createIsServed(config: ReadonlyMap<string, string>): IsServed {
  const switches = new Map([...config].map(([key, value]) => [key.replace(/^api\/(?=v\d)/, ""), value !== "false"]));
  return (group, version, resource) => {
    const groupVersion = group === "" ? version : `${group}/${version}`;
    return (
      switches.get(`${groupVersion}/${resource}`) ??
      switches.get(groupVersion) ??
      switches.get(`api/${stability(version)}`) ??
      switches.get("api/all") ??
      stability(version) !== "alpha"
    );
  };
}

/** Keys that stand for many versions at once. */
const families = new Set(["api/all", "api/alpha", "api/beta", "api/ga"]);

/** Entries that match nothing on this server, so that a mistyped one is noticed. */
export function idleEntries(
  config: ReadonlyMap<string, string>,
  kinds: Iterable<{ readonly group: string; readonly version: string; readonly resource: string }>,
): string[] {
  const known = new Set(families);
  for (const { group, version, resource } of kinds) {
    const groupVersion = group === "" ? version : `${group}/${version}`;
    known.add(groupVersion).add(`${groupVersion}/${resource}`);
    if (group === "") known.add(`api/${version}`);
  }
  return [...config.keys()].filter((key) => !known.has(key));
}

function stability(version: string): "alpha" | "beta" | "ga" {
  if (version.includes("alpha")) return "alpha";
  return version.includes("beta") ? "beta" : "ga";
}
