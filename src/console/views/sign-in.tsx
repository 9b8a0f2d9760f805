/** Asks for a token, where the server itself serves the page. */

import { useState } from "preact/hooks";
import { ErrorNote } from "./notes.tsx";

export function SignIn({ onToken }: { readonly onToken: (token: string) => Promise<void> }) {
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    onToken(token.trim()).catch((failure: unknown) => {
      setError(failure);
      setBusy(false);
    });
  };
  return (
    <main>
      <article>
        <h1>Console of {location.host}</h1>
        <form class="sign-in" onSubmit={submit}>
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit" class="main" disabled={isBusy}>
            Sign in
          </button>
        </form>
        <p class="note">
          The token of a service account or of any other user. It stays in the memory of this page: it is not stored,
          and a reload forgets it. Without one you are who your browser's certificate says, or anonymous.
        </p>
        {error !== undefined && <ErrorNote error={error} />}
      </article>
    </main>
  );
}
