/** Saves a text as a file. */

interface DownloadButtonOptions {
  /** A function makes it when it is saved. */
  readonly text: string | (() => string);
  readonly fileName: string;
}

export function DownloadButton({ text, fileName }: DownloadButtonOptions) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([typeof text === "string" ? text : text()], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    // A name of an object may have a colon or a slash, which names of files do not.
    link.download = fileName.replaceAll(/[^\w.-]+/g, "_");
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" onClick={save}>
      Download
    </button>
  );
}
