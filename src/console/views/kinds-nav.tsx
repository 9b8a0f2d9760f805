/** Every kind that can be listed, by group. */

import type { Discovery } from "../../client/discovery/discovery.ts";
import { listable } from "../state/kinds.ts";
import { objectsOf, type Route } from "../state/route.ts";
import { isSame } from "./view.tsx";

export interface KindsNavOptions {
  readonly discovery: Discovery | undefined;
  readonly route: Route;
  /** Where the lists of kinds begin; "": all. */
  readonly namespace: string;
}

export function KindsNav({ discovery, route, namespace }: KindsNavOptions) {
  const groups = Map.groupBy(discovery === undefined ? [] : listable(discovery), ({ group }) => group);
  return (
    <nav aria-label="Kinds">
      {[...groups].map(([group, resources]) => (
        <section key={group}>
          <h2>{group || "core"}</h2>
          {resources.map((resource) => (
            <a
              key={resource.resource}
              href={objectsOf(resource, resource.namespaced ? { namespace } : {})}
              aria-current={"resource" in route && isSame(resource, route) ? "page" : undefined}
            >
              {resource.resource}
            </a>
          ))}
        </section>
      ))}
    </nav>
  );
}
