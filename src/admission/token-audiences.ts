/** The audiences for which a node may request tokens: those that the pod itself names, those of its CSI drivers, and those that a role grants. */

import type { TokenRequest } from "../api/authentication/v1/token-request.ts";
import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { CSIDriver } from "../api/storage/v1/csi-driver.ts";
import { type AdmissionContext, lookUp, refuse } from "./context.ts";
import type { RequestOn } from "./on.ts";

const verb = "request-serviceaccounts-token-audience";

export async function checkAudiences(
  context: AdmissionContext,
  request: RequestOn<TokenRequest, "CREATE">,
  pod: Pod,
): Promise<void> {
  const audiences = request.object.spec?.audiences ?? [];
  if (audiences.length > 1) throw refuse(request, "a node may request a token for one audience only");
  // Without an audience it is that of the server, which volumes do not name either.
  const [audience = ""] = audiences;
  if (namedByVolume(pod, audience) || (await namedByDriver(context, pod, audience))) return;
  if (audience !== "" && (await grantedByRole(context, request, audience))) return;
  throw refuse(request, `audience "${audience}" not found in pod spec volume`);
}

function namedByVolume({ spec }: Pod, audience: string): boolean {
  return (spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(
      ({ serviceAccountToken }) =>
        serviceAccountToken !== undefined && (serviceAccountToken.audience ?? "") === audience,
    ),
  );
}

async function namedByDriver(context: AdmissionContext, pod: Pod, audience: string): Promise<boolean> {
  const drivers = context.catalog.of(CSIDriver);
  const seen = new Set<string>();
  for (const volume of pod.spec?.volumes ?? []) {
    const name = volume.csi?.driver ?? (await driverOfClaim(context, pod, volume));
    if (!name || seen.has(name)) continue;
    seen.add(name);
    const driver = await lookUp(context, drivers, { namespace: "", name });
    if (driver?.spec.tokenRequests?.some((token) => token.audience === audience)) return true;
  }
  return false;
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The driver of the volume that the claim is bound to. */
async function driverOfClaim(
  context: AdmissionContext,
  { metadata: { namespace = "", name = "" } }: Pod,
  volume: Volume,
): Promise<string | undefined> {
  const claimName = volume.ephemeral ? `${name}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
  if (!claimName) return undefined;
  const claim = await lookUp(context, context.catalog.of(PersistentVolumeClaim), { namespace, name: claimName });
  const volumeName = claim?.spec?.volumeName;
  if (!volumeName) return undefined;
  const found = await lookUp(context, context.catalog.of(PersistentVolume), { namespace: "", name: volumeName });
  return found?.spec?.csi?.driver;
}

/** The audience is the resource of the question, the account its name. */
async function grantedByRole(
  { authorizer }: AdmissionContext,
  { user, namespace, name }: RequestOn<TokenRequest, "CREATE">,
  audience: string,
): Promise<boolean> {
  const { outcome } = await authorizer.authorize({
    user,
    verb,
    isResource: true,
    path: "",
    group: "",
    version: "v1",
    resource: audience,
    subresource: "",
    namespace,
    name,
  });
  return outcome === "allow";
}
