import { expect, test } from "vitest";
import { loadLmdb } from "./load-lmdb.ts";

test("LMDB is loaded where its native part is installed", () => {
  expect(loadLmdb().open).toBeTypeOf("function");
});

test("without its native part the error says what to do in one sentence", () => {
  const cause = new Error("No native build was found for platform=plan9\nRequire stack:\n- lmdb");
  const load = () => {
    throw cause;
  };
  expect(() => loadLmdb(load)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^the embedded store needs the package @lmdb\/lmdb-\S+, .*npm install.*--store=memory[^\n]*$/,
      ),
      cause,
    }),
  );
});
