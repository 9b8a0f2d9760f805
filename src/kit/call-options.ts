/** The options of calls. A misspelled one would be sent by nobody: `delete("a", { dryrun: true })` would delete. */

import {
  amount,
  anObject,
  count,
  flag,
  type OptionRule,
  type OptionShape,
  oneOf,
  options,
  text,
} from "../base/check-options.ts";
import type { ListQuery, WatchQuery } from "../client/contract.ts";
import type { InformerSelection } from "../client/informer/contract.ts";
import type { ApplyOptions, CallOptions, DeleteOptions, PatchOptions, WriteOptions } from "./contract.ts";

export const calling: OptionShape<CallOptions> = { signal: anObject };

export const writing: OptionShape<WriteOptions> = {
  ...calling,
  dryRun: flag,
  manager: text,
  fieldValidation: oneOf("Strict", "Warn", "Ignore"),
};

export const patching: OptionShape<PatchOptions> = {
  ...writing,
  type: oneOf("merge", "json", "strategic", "apply"),
  force: flag,
};

export const applying: OptionShape<ApplyOptions> = { ...calling, manager: text, force: flag, dryRun: flag };

export const deleting: OptionShape<DeleteOptions> = {
  ...calling,
  dryRun: flag,
  uid: text,
  resourceVersion: text,
  propagationPolicy: oneOf("Background", "Foreground", "Orphan"),
  gracePeriodSeconds: count(0),
};

export const listing: OptionShape<ListQuery> = {
  ...calling,
  namespace: text,
  labelSelector: text,
  fieldSelector: text,
  where: text,
  orderBy: text,
  limit: count(0),
  continue: text,
  resourceVersion: text,
};

export const watching: OptionShape<WatchQuery> = {
  ...listing,
  timeoutSeconds: amount(0),
  bookmarks: flag,
  sendInitialEvents: flag,
};

export const selecting: OptionShape<InformerSelection> = { namespace: text, labelSelector: text, fieldSelector: text };

export const selection: OptionRule = options(selecting);
