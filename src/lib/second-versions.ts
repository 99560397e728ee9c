/** Detects sync conflicts: copies that sync programs leave beside a file that changed on two machines. */

// Syncthing; Dropbox, Nextcloud and ownCloud; Seafile; pCloud; Resilio. The mark is before the extension.
const MARKS =
  /(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?| \([^()]*\bconflicted copy\b[^()]*\)| \([^()]*\bin Konflikt stehende Kopie\b[^()]*\)| \(SFConflict [^()]*\)| ?\[conflicted\]|\.Conflict(?:ed)?)(?=\.[^.]+$|$)/i;

/** Returns the name of the file that this one is a conflict copy of; undefined if it isn't one. */
export function originalOf(name: string): string | undefined {
  const original = name.replace(MARKS, '');
  return original === name ? undefined : original;
}

/** Returns the line of the first conflict marker that git and others leave in a text, 0 if there is none. */
export function undecidedLine(text: string): number {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => /^<{7}(?: |$)/.test(line));
  return first >= 0 && lines.slice(first).some((line) => /^>{7}(?: |$)/.test(line)) ? first + 1 : 0;
}
