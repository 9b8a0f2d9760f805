import { afterAll, beforeAll, describe } from "vitest";
import { describeKv } from "../contract.suite.ts";
import { openPostgresKv } from "./postgres.ts";
import { findPostgres, makeDatabase, startTestPostgres, type TestPostgres, targetOf } from "./server.fixture.ts";

const programs = findPostgres();

describe.skipIf(programs === undefined)("on a real PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startTestPostgres(programs!);
  });
  afterAll(async () => {
    await postgres?.remove();
  });

  describeKv(
    "postgres",
    async () => {
      const database = makeDatabase(postgres);
      return {
        open: () => openPostgresKv({ target: targetOf(database.address()) }),
        async remove() {
          database.drop();
        },
      };
    },
    { runs: 10 },
  );
});
