/** Files that programs which keep folders the same on several machines leave beside one that was changed on two of them. */

/** By Syncthing; Dropbox, Nextcloud and ownCloud; Seafile; pCloud; Resilio. Before the ending, which stays. */
const MARKS =
  /(?:\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?| \([^()]*\bconflicted copy\b[^()]*\)| \([^()]*\bin Konflikt stehende Kopie\b[^()]*\)| \(SFConflict [^()]*\)| ?\[conflicted\]|\.Conflict(?:ed)?)(?=\.[^.]+$|$)/i;

/** The name of the file that this one is a second version of; undefined where it is none. */
export function originalOf(name: string): string | undefined {
  const original = name.replace(MARKS, '');
  return original === name ? undefined : original;
}
