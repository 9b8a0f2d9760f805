/** Whether labels can be compared with a selector at all. */

import { validateLabelSelector } from "../../machinery/meta/label-selector.ts";
import { isLabelValue } from "../../machinery/meta/names.ts";
import type { LabelSelector } from "./label-selector.ts";

/** Beyond what validation reports, its values are some that labels can have. An absent one is sound: it takes nothing. */
export const isSoundSelector = (selector: LabelSelector | null | undefined): boolean =>
  validateLabelSelector(selector, "").length === 0 &&
  (selector?.matchExpressions ?? []).every(({ values }) =>
    (values ?? []).every((value) => isLabelValue(value).length === 0),
  );
