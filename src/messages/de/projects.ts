/** Projekte: Ordner auf diesem Rechner, in denen ein Viber arbeitet. */
import { translate } from '../arguments.ts';
import { projects as english } from '../en/projects.ts';

export const projects = translate(english)({
  notFolder: 'das ist kein Ordner',
  noFolder: 'diesen Ordner gibt es nicht',
  cantOpen: 'er lässt sich nicht öffnen',
  holdsOwn: '{why}',
  moved: '{name} ist nicht mehr da oder jetzt ein Link',
  notAllowed: '{name} liegt in keinem der erlaubten Ordner',
  now: 'Diese Aufgabe arbeitet in **{name}** ({folder}).',
  none: 'Diese Aufgabe arbeitet in keinem Projekt.',
  cant: 'Ich kann das Projekt dieser Aufgabe nicht benutzen: {why}.',
  list: 'Deine Projekte: {names}. Wähle eins mit /project NAME, oder nenn es einfach, wenn du mir eine Aufgabe gibst.',
  more: '{names} und {n, plural, one {ein weiteres} other {# weitere}}',
  empty: 'Ich habe in den erlaubten Ordnern keine Projekte gefunden: {folders}.',
  notSetUp: 'Noch ist kein Ordner mit Projekten erlaubt. Erlaube einen auf meinem Rechner: `{command}`',
  set: 'Diese Aufgabe arbeitet jetzt in **{name}** ({folder}). Ich kann dort Dateien lesen und ändern.',
  left: 'Diese Aufgabe arbeitet in keinem Projekt mehr.',
  unknown: 'Ich finde kein Projekt „{name}“. /project zeigt alle.',
  nearly: 'Ich finde kein Projekt „{name}“. Meinst du {near}?',
  several: 'Es gibt mehrere Projekte „{name}“: {folders}. Nenn den ganzen Pfad.',
  setNext: 'Die nächste Aufgabe hier arbeitet in **{name}** ({folder}). Was soll ich dort tun?',
  next: 'Die nächste Aufgabe hier arbeitet in **{name}** ({folder}).',
  leftNext: 'Die nächste Aufgabe hier arbeitet in keinem Projekt.',
  peopleOnly: 'In Projekten arbeite ich nur für Besitzer und für Leute, die in projects.people stehen.',
  directOnly:
    'In Projekten arbeite ich nur in Direktnachrichten, außer ein Besitzer trägt diesen Ort in projects.groups ein.',
  noRepository: '{name} ist kein git-Repository, und jede Aufgabe braucht dort einen eigenen Worktree',
  worktreeFailed: 'der Worktree dieser Aufgabe lässt sich nicht anlegen: {why}',
  worktreeChanged:
    'der Worktree dieser Aufgabe, {folder}, wurde verändert oder ersetzt. Verschieb ihn, dann lege ich ihn aus seinem Branch neu an',
  cantChoose: 'Dort kann ich nicht arbeiten: {why}.',
  worktree: 'Sie hat einen eigenen Worktree: {folder}, im Branch {branch}.',
  leftWorktrees: 'Worktrees gelöschter Aufgaben, die bleiben, solange dort etwas verloren gehen könnte: {folders}.',
  processes: '- im Hintergrund: {what}',
});
