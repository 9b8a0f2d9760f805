/** How much of its quotas each namespace uses, the scarcest first. */

import type { ClusterObjects } from "../../server/cluster.ts";
import { part, text } from "../../server/json.ts";
import { quantityOf } from "../../server/usage.ts";
import { objectOf } from "../../state/route.ts";
import { Card } from "../card.tsx";
import { Meter } from "../meter.tsx";

const shownMax = 12;

export function QuotasCard({ cluster }: { readonly cluster: ClusterObjects }) {
  const found = cluster.get("resourcequotas");
  if (found === undefined || found.objects.length === 0) return null;
  const lines = found.objects
    .flatMap((quota) => {
      const ref = { name: text(quota, "metadata", "name"), namespace: text(quota, "metadata", "namespace") };
      const used = part(quota, "status", "used");
      return Object.keys(part(quota, "status", "hard")).map((what) => {
        const hard = text(quota, "status", "hard", what);
        const most = quantityOf(hard);
        const spent = text(used, what) || "0";
        return { ref, what, figures: `${spent} of ${hard}`, share: most === 0 ? 1 : quantityOf(spent) / most };
      });
    })
    .sort((a, b) => b.share - a.share);
  return (
    <Card title="Quotas">
      <ul class="quotas">
        {lines.slice(0, shownMax).map(({ ref, what, figures, share }) => (
          <li key={`${ref.namespace}/${ref.name}/${what}`}>
            <a href={objectOf(found.resource, ref)}>
              <bdi>{ref.namespace}</bdi>
            </a>
            <Meter label={what} share={share} figures={figures} />
          </li>
        ))}
      </ul>
      {lines.length > shownMax && <p class="note">and {lines.length - shownMax} that are less used</p>}
    </Card>
  );
}
