/** The decisions of the node authorizer. */

import type { Attributes, Decision } from "./contract.ts";

/** Decides about the requests of one node for one resource. */
export type Judge = (node: string, asked: Attributes) => Decision;

export const allow: Decision = { outcome: "allow", reason: "" };
export const none = (reason: string): Decision => ({ outcome: "none", reason });
export const unrelated = (node: string): Decision =>
  none(`no relationship found between node "${node}" and this object`);
