/** The keys of the console. */

import { Dialog } from "./dialog.tsx";

const keys: readonly (readonly [keys: string, effect: string])[] = [
  [":", "Jump to a kind: po, deploy; with a namespace: po shop, po all"],
  ["/", "Filter the rows: words, !word, column:word; search YAML and logs"],
  ["↑ ↓ PgUp PgDn Home End", "Choose a row"],
  ["Space", "Select the row, to act on several"],
  ["Enter", "Open the object"],
  ["e", "Edit the object"],
  ["y", "Its YAML"],
  ["l", "The logs of a pod"],
  ["h", "A shell in a pod"],
  ["c", "Copy the name"],
  ["Delete, Ctrl d", "Delete the object or the selected rows, after a question"],
  ["Esc", "Leave a field or a dialog; from an object back to its list"],
  ["n", "Create objects, or apply a file"],
  ["Ctrl Space", "In an editor: what can be typed"],
  ["Ctrl Enter", "In an editor: try it, then save it"],
  ["o", "Overview"],
  ["s", "The server itself"],
  ["a", "Access"],
  ["x", "The API: kinds, fields and requests"],
  ["r", "Live requests, where the server records them"],
  ["t", "Faults, simulated nodes and forks, where the server has them"],
  ["?", "This list"],
];

export const Help = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <table class="keys">
      <tbody>
        {keys.map(([key, effect]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{effect}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  </Dialog>
);
