/** What one simulated process may use. A process that wants more gets an error, or waits. */

/** Characters of a script; a longer one is not understood. */
export const scriptCharsMax = 64 * 1024;
/** How deep commands may be nested in a script, and calls of functions and of other shells while it runs. */
export const depthMax = 50;
/** Commands that a process runs in a second of the clock; then it waits for the next second. */
export const stepsPerSecondMax = 1_000;
/** Bytes that a process reads and writes in a second of the clock; then it waits for the next one. */
export const bytesPerSecondMax = 4 * 1024 * 1024;
/** What a line that is written counts beside its bytes: a log keeps each line apart, so that short ones cost more than their bytes. */
export const bytesOfLine = 64;
/** Characters of the value of a variable, of a word, and of what `$(…)` takes. */
export const textCharsMax = 64 * 1024;
/** Variables of a shell, and words of a command or loop. */
export const variablesMax = 1_000;
export const wordsMax = 10_000;
/** Bytes that wait in a pipe; the writer waits until they are read. */
export const pipeBytesMax = 64 * 1024;
/** Processes of a pod at once: commands in the background, parts of pipes, probes, and what clients execute. */
export const tasksMax = 64;
