/** The context of a write, as the registry and admission need it. */

import type { WriteContext } from "../../registry/contract/write-context.ts";
import type { Call } from "../call.ts";
import type { WriteOptions } from "./options.ts";
import { managerOf } from "./options.ts";

export function writeContext(call: Call, options: WriteOptions): WriteContext {
  return {
    user: call.user,
    dryRun: options.dryRun,
    fieldManager: managerOf(options, call.exchange),
    warn: (text) => call.warn(text),
    annotate: (key, value) => call.annotate(key, value),
    bytes: call.bodyBytes,
    options: options.shown,
    caller: call,
    ...(call.memory === undefined ? {} : { memory: call.memory }),
  };
}
