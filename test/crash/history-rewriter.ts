/** A child that rewrites the history of a store, until it is done or killed: FOLDER FROM TO. */

import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { rewriteOf, rewrittenBounds } from "./rewritten-history.ts";

const [folder = "", from = "", to = ""] = process.argv.slice(2);
const kv = await openEmbeddedKv({ folder, noted: rewrittenBounds });
process.stdout.write("opened\n");
await kv.rewriteHistory!(rewriteOf(from, to));
process.stdout.write("done\n");
await kv.close();
