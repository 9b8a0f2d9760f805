/** pv-protection: a volume that is bound stays until its claim is gone. */

import { PersistentVolume } from "../../api/core/v1/persistent-volume.ts";
import type { Controller } from "../contract.ts";
import { protectionOf } from "../parts/protection/protection.ts";

export const pvProtection: Controller = {
  name: "pv-protection",
  account: "pv-protection-controller",
  start(context) {
    const volumes = context.informers.of(PersistentVolume);
    const finalizer = context.vocabulary.word("orch.io/pv-protection");
    const isUsed = ({ status }: PersistentVolume) => status?.phase === "Bound";
    return protectionOf(context, PersistentVolume, volumes, { finalizer, isUsed });
  },
};
