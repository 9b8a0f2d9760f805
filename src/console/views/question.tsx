/** Asks before something is done, with the name of what it is done to, and says why it could not be done. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./notes.tsx";

interface QuestionOptions {
  readonly title: string;
  /** The words of the button that does it. */
  readonly act: string;
  readonly isDangerous?: boolean;
  /** What is asked is not known yet, or would do nothing. */
  readonly isDisabled?: boolean;
  /** Closes the question when it resolves; a failure is shown in it. */
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Question({
  title,
  act,
  isDangerous = false,
  isDisabled = false,
  onConfirm,
  onClose,
  children,
}: QuestionOptions) {
  const [error, setError] = useState<unknown>(undefined);
  const [isUnderWay, setUnderWay] = useState(false);
  const confirm = () => {
    setError(undefined);
    setUnderWay(true);
    onConfirm()
      .then(onClose, setError)
      .finally(() => setUnderWay(false));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        {children}
        {error !== undefined && <ErrorNote error={error} />}
        <div class="tools">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? "danger" : "main"} disabled={isUnderWay || isDisabled}>
            {act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
