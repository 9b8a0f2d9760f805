/** SelfSubjectReview: who the caller is, after impersonation. */

import { timeText } from "../../machinery/values/time.ts";
import type { CreateAction } from "../../registry/contract/action.ts";
import { userInfo } from "./user-info.ts";

/** What the client sent in the body is not repeated. */
export const selfSubjectReview: CreateAction = {
  async create({ kind, context }) {
    const creationTimestamp = timeText(kind.family.environment.clock.now());
    return {
      code: 201,
      object: {
        kind: kind.kind,
        apiVersion: kind.apiVersion,
        metadata: { creationTimestamp },
        status: { userInfo: userInfo(context.user) },
      },
    };
  },
};
