/** Files that programs which keep folders the same on several machines leave beside one that was changed on two of them. */

/** By Syncthing; Dropbox, Nextcloud and ownCloud; Seafile; pCloud; Resilio. Before the ending, which stays. */
const MARKS =
  /(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?| \([^()]*\bconflicted copy\b[^()]*\)| \([^()]*\bin Konflikt stehende Kopie\b[^()]*\)| \(SFConflict [^()]*\)| ?\[conflicted\]|\.Conflict(?:ed)?)(?=\.[^.]+$|$)/i;

/** The name of the file that this one is a second version of; undefined where it is none. */
export function originalOf(name: string): string | undefined {
  const original = name.replace(MARKS, '');
  return original === name ? undefined : original;
}

/** The marks that git and others leave in a text where two versions of it could not be joined; the line of the first, 0 where there is none. */
export function undecidedLine(text: string): number {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => /^<{7}(?: |$)/.test(line));
  return first >= 0 && lines.slice(first).some((line) => /^>{7}(?: |$)/.test(line)) ? first + 1 : 0;
}
