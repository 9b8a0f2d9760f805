/** Which group versions and resources are served: --runtime-config as a function. */

/** Whether a version of a resource is served, by its group in the server's own words. */
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

function stability(version: string): "alpha" | "beta" | "ga" {
  if (version.includes("alpha")) return "alpha";
  return version.includes("beta") ? "beta" : "ga";
}
