/** The package LMDB as it is installed. The compiled program has its text inside; `scripts/bundle-lmdb.mjs` replaces this file. */

import { createRequire } from "node:module";

/** The package's one file in the older module form loads in half the time of its newer ones. */
export const requireLmdb = (): unknown => createRequire(import.meta.url)("lmdb");
