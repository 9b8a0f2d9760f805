/** Why a claim has no volume. */

import { isNotFound } from "../../../client/requests/refusals.ts";
import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, text } from "../../json.ts";
import { warningLines } from "./events.ts";
import { conditionLines, type Explainer, type Explanation } from "./explanation.ts";

export const claimExplainer: Explainer = { kind: "PersistentVolumeClaim", group: "", explain: explainClaim };

export async function explainClaim(context: Context, claim: Json): Promise<Explanation> {
  const phase = text(claim, "status", "phase") || "Pending";
  const volume = text(claim, "spec", "volumeName");
  const conditions = conditionLines(claim, (condition) => condition["status"] === "True");
  if (phase === "Bound") return { summary: `is bound to persistentvolume/${volume}`, lines: conditions };
  const warnings = await warningLines(context, claim);
  if (phase === "Lost")
    return { summary: `has lost its volume: persistentvolume/${volume} does not exist`, lines: warnings };
  const causes = volume === "" ? await classLines(context, claim) : await volumeLines(context, volume);
  // The volume controller says the same about a missing class.
  const rest = warnings.filter((warning) => !(causes.length > 0 && /not found|no storage class is set/.test(warning)));
  return { summary: "is not bound to a volume yet", lines: [...causes, ...rest, ...conditions] };
}

async function volumeLines(context: Context, name: string): Promise<string[]> {
  const volume = await read(context, "persistentvolumes", name);
  if (volume === "missing") return [`it names persistentvolume/${name}, which does not exist`];
  const owner = [text(volume, "spec", "claimRef", "namespace"), text(volume, "spec", "claimRef", "name")].join("/");
  return owner === "/" ? [] : [`it names persistentvolume/${name}, which belongs to the claim ${owner}`];
}

async function classLines(context: Context, claim: Json): Promise<string[]> {
  const name = text(claim, "spec", "storageClassName");
  if (name === "")
    return ["it names no storage class, no class is the default, and no persistent volume that fits is free"];
  const found = await read(context, "storageclasses", name);
  if (found === "missing") {
    const names = await namesOf(context, "storageclasses");
    return [
      `storageclass/${name} does not exist; ${names.length === 0 ? "there is none" : `there is ${names.join(", ")}`}`,
    ];
  }
  if (text(found, "volumeBindingMode") === "WaitForFirstConsumer") {
    const users = await podsWith(context, claim);
    return users.length === 0
      ? [`storageclass/${name} binds claims once a pod uses them, and none uses this one`]
      : [`storageclass/${name} binds it once pod/${users[0]} has a node`];
  }
  return [
    `it waits for the provisioner ${text(found, "provisioner")} of storageclass/${name}, or for a volume that fits`,
  ];
}

/** The names of pods that use the claim. */
export async function podsWith(context: Context, claim: Json): Promise<string[]> {
  const users: string[] = [];
  try {
    const pods = context.at(await findResource(context, "pods"));
    for await (const pod of pods.items({ namespace: namespaceOf(claim) })) {
      const isUser = list(pod, "spec", "volumes").some(
        (volume) => text(volume, "persistentVolumeClaim", "claimName") === nameOf(claim),
      );
      if (isUser) users.push(nameOf(pod));
    }
  } catch {
    // The caller may not list pods.
  }
  return users;
}

/** An empty object: the caller may not read it. */
async function read(context: Context, resource: string, name: string): Promise<Json | "missing"> {
  try {
    return await context.at(await findResource(context, resource)).get({ name });
  } catch (error) {
    return isNotFound(error) ? "missing" : {};
  }
}

async function namesOf(context: Context, resource: string): Promise<string[]> {
  const { items } = await context.at(await findResource(context, resource)).list({ limit: 10 });
  return items.map(nameOf);
}
