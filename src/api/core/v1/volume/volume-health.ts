/** What drivers report about the health of volumes. */

import { elided, list, string, struct } from "../../../../machinery/schema/build.ts";

const VolumeHealthCondition = struct("core.v1.VolumeHealthCondition", {
  status: string()
    .at(1)
    .required()
    .oneOf(["DataLoss", "Degraded", "Inaccessible"])
    .doc("DataLoss, Degraded or Inaccessible."),
  reason: string().at(2).required().doc("One word that says why."),
  message: elided(string()).at(3).doc("A sentence for people."),
});

export const healthConditions = () =>
  elided(
    list(VolumeHealthCondition, {
      topology: "map",
      keys: ["status", "reason"],
      patchStrategy: "merge",
      patchMergeKey: "status",
    }),
  ).doc("What is wrong with the volume. Empty: nothing.");
