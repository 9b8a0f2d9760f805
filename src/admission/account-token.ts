/**
 * The volume with the token of a pod's account: a projected one with a token that expires, or, with the feature gate
 * BoundServiceAccountTokenVolume off, the Secret with the token of the account.
 */

import type { Pod } from "../api/core/v1/pod.ts";
import { Secret } from "../api/core/v1/secret.ts";
import type { ServiceAccount } from "../api/core/v1/service-account.ts";
import type { Volume } from "../api/core/v1/volume/volume.ts";
import { StatusError } from "../machinery/status/status.ts";
import { type AdmissionContext, lookUp } from "./context.ts";

/** As the specification says (the reference server adds seven seconds). */
const tokenLifeSeconds = 3600;
const nameSuffixLength = 5;
/** The mode of the files that a token's volume has. */
const tokenFileMode = 0o644;
/** When a client may try again after it was refused because the Secret does not exist yet, as in v1.21. */
const retryAfterSeconds = 1;

type PodSpec = NonNullable<Pod["spec"]>;

/** How a volume with the token is recognized, and made if the pod does not have it. */
interface TokenVolume {
  isGiven(volume: Volume): boolean;
  newName(spec: PodSpec): string;
  create(name: string): Volume;
}

/** Mounts the token of the account into all containers of a pod; a promise, if its Secret has to be read from the store. */
export type MountToken = (spec: PodSpec, account: ServiceAccount) => void | Promise<void>;

export function createMountToken(context: AdmissionContext): MountToken {
  const { vocabulary, gates } = context.catalog.environment;
  const mountPath = vocabulary.word("/var/run/secrets/orch.io/serviceaccount");
  if (gates.enabled("BoundServiceAccountTokenVolume")) {
    const projected = projectedVolume(context);
    return (spec) => mount(spec, projected, mountPath);
  }
  return async (spec, account) => {
    const secret = await tokenSecretOf(context, account);
    if (secret === undefined) throw noTokenYet(account);
    mount(spec, secretVolume(context, secret), mountPath);
  };
}

/** A container that mounts another volume at the token's path keeps that one. The volume is added only if a container needs it. */
function mount(spec: PodSpec, { isGiven, newName, create }: TokenVolume, mountPath: string): void {
  const given = spec.volumes?.find(isGiven);
  const name = given?.name ?? newName(spec);
  const takers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    (container) => !container.volumeMounts?.some((one) => one.mountPath === mountPath),
  );
  for (const container of takers) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  }
  if (given === undefined && takers.length > 0) spec.volumes = [...(spec.volumes ?? []), create(name)];
}

function projectedVolume({ catalog }: AdmissionContext): TokenVolume {
  const { vocabulary, randomSuffix, has } = catalog.environment;
  const prefix = vocabulary.word("orch-api-access-");
  const rootAuthority = vocabulary.word("orch-root-ca.crt");
  // Before, the mode came with the defaults, after the plugins.
  const modes = has("tokenFileModes") ? { defaultMode: tokenFileMode } : {};
  return {
    isGiven: ({ name }) => name.startsWith(prefix),
    newName: () => prefix + randomSuffix(nameSuffixLength),
    create: (name) => ({
      name,
      projected: {
        ...modes,
        sources: [
          { serviceAccountToken: { expirationSeconds: tokenLifeSeconds, path: "token" } },
          { configMap: { name: rootAuthority, items: [{ key: "ca.crt", path: "ca.crt" }] } },
          {
            downwardAPI: {
              items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
            },
          },
        ],
      },
    }),
  };
}

/** The volume is named like the Secret, unless the pod has another volume of that name. */
function secretVolume({ catalog }: AdmissionContext, secretName: string): TokenVolume {
  return {
    isGiven: ({ secret }) => secret?.secretName === secretName,
    newName: ({ volumes = [] }) =>
      volumes.some(({ name }) => name === secretName)
        ? `${secretName}-${catalog.environment.randomSuffix(nameSuffixLength)}`
        : secretName,
    create: (name) => ({ name, secret: { secretName } }),
  };
}

/** The first Secret in the list of the account that exists and holds a token of it. */
async function tokenSecretOf(context: AdmissionContext, account: ServiceAccount): Promise<string | undefined> {
  const { vocabulary } = context.catalog.environment;
  const type = vocabulary.word("orch.io/service-account-token");
  const ofName = vocabulary.word("orch.io/service-account.name");
  const ofUid = vocabulary.word("orch.io/service-account.uid");
  const { name: accountName, namespace = "", uid } = account.metadata;
  const secrets = context.catalog.of(Secret);
  for (const { name = "" } of account.secrets ?? []) {
    const secret = await lookUp(context, secrets, { namespace, name });
    if (secret?.type !== type) continue;
    const { annotations = {} } = secret.metadata;
    if (annotations[ofName] !== accountName) continue;
    if (annotations[ofUid] === undefined || annotations[ofUid] === uid) return name;
  }
  return undefined;
}

/** With words that clients of v1.21 know; controllers create the Secret a moment after the account. */
function noTokenYet({ metadata: { name = "" } }: ServiceAccount): StatusError {
  const message = `No API token found for service account "${name}", retry after the token is automatically created and added to the service account`;
  return new StatusError("ServerTimeout", message, {
    details: { name: "create pod", kind: "serviceaccounts", retryAfterSeconds },
  });
}
