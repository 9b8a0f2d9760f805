/** Reconciles one volume: sets whether it is available, bound or released. */

import { PersistentVolume, type PersistentVolumeStatus } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { ifThere } from "../../client/requests/send.ts";
import { reclaim } from "./reconcile.ts";
import type { BinderParts } from "./sync-claim.ts";

/** Resolves with the key of a claim that is reconciled next; undefined: none. */
export async function syncVolume(parts: BinderParts, volume: PersistentVolume): Promise<string | undefined> {
  const ref = volume.spec?.claimRef;
  if (ref === undefined || (ref.uid ?? "") === "") {
    await writePhase(parts, volume, { phase: "Available" });
    return ref && `${ref.namespace ?? ""}/${ref.name ?? ""}`;
  }
  const key = `${ref.namespace ?? ""}/${ref.name ?? ""}`;
  const claim = await claimOf(parts, key, ref.uid ?? "");
  if (claim === undefined) {
    await release(parts, volume);
    return undefined;
  }
  const bound = claim.spec?.volumeName ?? "";
  if (bound === "") return key;
  if (bound === volume.metadata.name) {
    await writePhase(parts, volume, { phase: "Bound" });
    return undefined;
  }
  await unbind(parts, volume);
  return undefined;
}

/** Before a volume is released, the server is read: the cache may be stale. */
async function claimOf(
  { claims, context }: BinderParts,
  key: string,
  uid: string,
): Promise<PersistentVolumeClaim | undefined> {
  const known = claims.get(key);
  if (known?.metadata.uid === uid) return known;
  const [namespace = "", name = ""] = key.split("/");
  const live = await ifThere(context.client.of(PersistentVolumeClaim).get({ namespace, name }));
  return live?.metadata.uid === uid ? live : undefined;
}

async function release(parts: BinderParts, volume: PersistentVolume): Promise<void> {
  const phase = volume.status?.phase;
  if (phase === "Failed") return;
  const outcome = reclaim(volume, parts.names, parts.context.vocabulary.word("orch.io/"));
  if (outcome.phase === "Failed") {
    const { reason, message } = outcome;
    parts.events.event(volume, "Warning", reason, message);
    return await writePhase(parts, volume, { phase: "Failed", message });
  }
  await writePhase(parts, volume, outcome);
}

/** The claim has another volume. A claimRef that the user wrote stays, one that this controller wrote is removed. */
async function unbind({ context, names, volumes }: BinderParts, volume: PersistentVolume): Promise<void> {
  const isOurs = volume.metadata.annotations?.[names.boundByController] !== undefined;
  const { claimRef, ...spec } = volume.spec ?? {};
  const { [names.boundByController]: _by, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, resourceVersion: _version, ...kept } = claimRef ?? {};
  const next = isOurs
    ? { ...volume, metadata: { ...volume.metadata, annotations }, spec }
    : { ...volume, spec: { ...spec, claimRef: kept } };
  const client = context.client.of(PersistentVolume);
  const written = await client.update(next);
  volumes.wrote(written);
  volumes.wrote(await client.updateStatus({ ...written, status: { phase: "Available" } }));
}

async function writePhase(
  { context, volumes }: BinderParts,
  volume: PersistentVolume,
  status: PersistentVolumeStatus,
): Promise<void> {
  if (volume.status?.phase === status.phase) return;
  volumes.wrote(await context.client.of(PersistentVolume).updateStatus({ ...volume, status }));
}
