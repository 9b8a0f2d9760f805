/** The console: connects to the server through the program that serves this page, and shows its views. */

import { render } from "preact";
import { discover } from "../client/discovery/discover.ts";
import { type Connection, open, WrongLink } from "./server/connection.ts";
import { createLastWrites } from "./state/last-write.ts";
import { createNotices } from "./state/notices.ts";
import { App } from "./views/app.tsx";
import { ErrorNote } from "./views/notes.tsx";
import { SignIn } from "./views/sign-in.tsx";
import { WrongLinkPage } from "./views/wrong-link.tsx";

const root = document.getElementById("app") ?? document.body;
const notices = createNotices();
const writes = createLastWrites();

/** A token may be wrong: then the server is asked before views take the place of the question. */
async function show(connection: Connection): Promise<void> {
  const reload = () => discover(connection.send, { isAggregated: true });
  const discovering = reload();
  if (connection.facts.access === "token") await discovering;
  render(null, root);
  render(
    <App connection={connection} discovering={discovering} reload={reload} notices={notices} writes={writes} />,
    root,
  );
}

try {
  const { facts, connect } = await open();
  const start = (token: string) => show(connect(token, notices.add));
  if (facts.access === "token") render(<SignIn onToken={start} />, root);
  else await start("");
} catch (error) {
  render(error instanceof WrongLink ? <WrongLinkPage /> : <ErrorNote error={error} />, root);
}
