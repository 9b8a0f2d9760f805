/** The problems of a text, for those who do not see its marks. */

import type { Problem } from "../state/problems.ts";
import { problemsMax } from "../state/problems.ts";

export const ProblemList = ({ problems }: { readonly problems: readonly Problem[] }) =>
  problems.length === 0 ? null : (
    <div class="note error" role="alert">
      <ul>
        {problems.slice(0, problemsMax).map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line !== undefined && <>Line {line + 1}: </>}
            <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      {problems.length > problemsMax && <p>and {problems.length - problemsMax} more</p>}
    </div>
  );
