/** Reconciles one claim: finds a volume, completes the binding, or reports a lost volume. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { storageClassAnnotation, storageClassOf } from "../../api/core/v1/volume/storage-columns.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { Recorder } from "../../client/events/contract.ts";
import type { ControllerContext } from "../contract.ts";
import type { Latest } from "./latest.ts";
import { bestMatch, isKeptFor, misfit } from "./match.ts";
import { type BindNames, boundClaim, boundClaimStatus, boundVolume } from "./reconcile.ts";

export interface BinderParts {
  readonly context: ControllerContext;
  readonly names: BindNames;
  readonly events: Recorder;
  readonly volumes: Latest<PersistentVolume>;
  readonly claims: Latest<PersistentVolumeClaim>;
  classOf(name: string): StorageClass | undefined;
  /** The class of claims that name none; undefined: there is none, or claims get it only when they are created. */
  defaultClass(): string | undefined;
}

export async function syncClaim(parts: BinderParts, claim: PersistentVolumeClaim): Promise<void> {
  if (claim.metadata.deletionTimestamp && claim.status?.phase !== "Bound") return;
  if (claim.metadata.annotations?.[parts.names.bindCompleted] !== undefined) await syncBound(parts, claim);
  else await syncUnbound(parts, claim);
}

async function syncUnbound(parts: BinderParts, claim: PersistentVolumeClaim): Promise<void> {
  const { context, names, events, volumes } = parts;
  const named = claim.spec?.volumeName ?? "";
  if (named !== "") {
    const volume = volumes.get(named);
    if (volume === undefined) return await writePhase(parts, claim, "Pending");
    if (volume.spec?.claimRef !== undefined)
      return isKeptFor(volume, claim) ? await bind(parts, volume, claim) : await writePhase(parts, claim, "Pending");
    const problem = misfit(volume, claim, context.environment);
    if (problem === undefined) return await bind(parts, volume, claim);
    events.event(claim, "Warning", "VolumeMismatch", `Cannot bind to requested volume "${named}": ${problem}`);
    return await writePhase(parts, claim, "Pending");
  }
  const className = storageClassOf(claim, context.environment);
  const storageClass = className === "" ? undefined : parts.classOf(className);
  const isChosen = claim.metadata.annotations?.[names.selectedNode] !== undefined;
  const isDelayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && !isChosen;
  const volume = bestMatch(claim, volumes.list(), context.environment, { onlyKept: isDelayed });
  if (volume !== undefined) return await bind(parts, volume, claim);
  if (await assignDefaultClass(parts, claim)) return;
  if (isDelayed)
    events.event(claim, "Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  else if (className === "")
    events.event(
      claim,
      "Normal",
      "FailedBinding",
      "no persistent volumes available for this claim and no storage class is set",
    );
  else await provision(parts, claim, className, storageClass);
  await writePhase(parts, parts.claims.get(`${claim.metadata.namespace}/${claim.metadata.name}`) ?? claim, "Pending");
}

/** Whether the claim has got a class that was not the default yet when it was created. Its update brings it here again. */
async function assignDefaultClass(parts: BinderParts, claim: PersistentVolumeClaim): Promise<boolean> {
  const { context, claims } = parts;
  const annotation = context.vocabulary.word(storageClassAnnotation);
  // The empty name requests a volume without a class.
  if (claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[annotation] !== undefined)
    return false;
  const storageClassName = parts.defaultClass();
  if (storageClassName === undefined) return false;
  const next = { ...claim, spec: { ...claim.spec, storageClassName } };
  claims.wrote(await context.client.of(PersistentVolumeClaim).update(next));
  return true;
}

/** Others provision volumes: an event names what the claim waits for. A provisioner that a class names is never called. */
async function provision(
  { context, names, events, claims }: BinderParts,
  claim: PersistentVolumeClaim,
  className: string,
  storageClass: StorageClass | undefined,
): Promise<void> {
  if (storageClass === undefined) {
    const resource = `storageclass.${context.vocabulary.group("storage.orch.io")}`;
    events.event(claim, "Warning", "ProvisioningFailed", `${resource} "${className}" not found`);
    return;
  }
  const { provisioner } = storageClass;
  if (provisioner.startsWith(context.vocabulary.word("orch.io/"))) {
    events.event(claim, "Warning", "ProvisioningFailed", `there is no volume plugin "${provisioner}"`);
    return;
  }
  if (claim.metadata.annotations?.[names.provisioner] !== provisioner) {
    const annotations = { ...claim.metadata.annotations, [names.provisioner]: provisioner };
    const metadata = { ...claim.metadata, annotations };
    claims.wrote(await context.client.of(PersistentVolumeClaim).update({ ...claim, metadata }));
  }
  const message = `waiting for a volume to be created, either by external provisioner "${provisioner}" or manually created by system administrator`;
  events.event(claim, "Normal", "ExternalProvisioning", message);
}

async function syncBound(parts: BinderParts, claim: PersistentVolumeClaim): Promise<void> {
  const name = claim.spec?.volumeName ?? "";
  const volume = parts.volumes.get(name);
  if (volume === undefined) {
    const message =
      name === ""
        ? "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        : "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    return await lose(parts, claim, "ClaimLost", message);
  }
  const ref = volume.spec?.claimRef;
  if (ref === undefined || ref.uid === claim.metadata.uid) return await bind(parts, volume, claim);
  await lose(parts, claim, "ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

async function lose(parts: BinderParts, claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
  if (claim.status?.phase !== "Lost") parts.events.event(claim, "Warning", reason, message);
  await writePhase(parts, claim, "Lost");
}

async function writePhase(
  { context, claims }: BinderParts,
  claim: PersistentVolumeClaim,
  phase: "Pending" | "Lost",
): Promise<void> {
  if (claim.status?.phase === phase) return;
  // A claim that is not bound has no size.
  const { accessModes: _modes, capacity: _capacity, ...status } = claim.status ?? {};
  const next = { ...claim, status: { ...status, phase } };
  claims.wrote(await context.client.of(PersistentVolumeClaim).updateStatus(next));
}

/** Both sides, one after the other: a binding that was interrupted is completed later. */
async function bind(parts: BinderParts, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const { context, names, volumes, claims } = parts;
  const volumeClient = context.client.of(PersistentVolume);
  const claimClient = context.client.of(PersistentVolumeClaim);
  let ours = boundVolume(volume, claim, names);
  if (ours !== volume) {
    ours = await volumeClient.update(ours);
    volumes.wrote(ours);
  }
  if (ours.status?.phase !== "Bound") {
    ours = await volumeClient.updateStatus({ ...ours, status: { phase: "Bound" } });
    volumes.wrote(ours);
  }
  let theirs = boundClaim(claim, ours, names);
  if (theirs !== claim) {
    theirs = await claimClient.update(theirs);
    claims.wrote(theirs);
  }
  const status = boundClaimStatus(theirs, ours);
  if (status !== undefined) claims.wrote(await claimClient.updateStatus({ ...theirs, status }));
}
