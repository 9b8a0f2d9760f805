/** The answer of an action that succeeded. */

import type { ApiObject } from "../../machinery/schema/kind.ts";

export const success = (): { object: ApiObject; code: number } => ({
  code: 201,
  object: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", code: 201 },
});
