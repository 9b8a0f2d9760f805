/**
 * With `ORCH_CHECK_CACHES=1` a test file fails if a cache of this process gave another answer than computing it again (src/base/cache-check.ts),
 * even where the error itself became an answer that the test accepts:
 *
 *   ORCH_CHECK_CACHES=1 npm test -- src/machinery
 */

import { afterAll } from "vitest";
import { checksCaches, wrongAnswers } from "../src/base/cache-check.ts";

if (checksCaches)
  afterAll(() => {
    const found = wrongAnswers.splice(0);
    if (found.length > 0) throw new Error(`${found.length} wrong answers of caches\n${found.slice(0, 10).join("\n")}`);
  });
