/** The console: connects to the server through the command that serves this page, and shows its views. */

import { render } from "preact";
import { discover } from "../client/discovery/discover.ts";
import { connect } from "./server/connection.ts";
import { createNotices } from "./state/notices.ts";
import { App } from "./views/app.tsx";
import { ErrorNote } from "./views/notes.tsx";

const root = document.getElementById("app") ?? document.body;

try {
  const notices = createNotices();
  const connection = await connect(notices.add);
  const reload = () => discover(connection.send);
  render(<App connection={connection} discovery={await reload()} reload={reload} notices={notices} />, root);
} catch (error) {
  render(<ErrorNote error={error} />, root);
}
