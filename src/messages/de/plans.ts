/** Die Schritte einer Aufgabe, und was aus ihnen wird. */
import { translate } from '../arguments.ts';
import { plans as english } from '../en/plans.ts';

export const plans = translate(english)({
  none: 'Diese Aufgabe hat noch keinen Plan. Bitte mich um einen; deine anderen Aufgaben zeigt /tasks.',
  changed: 'Der Plan hat sich inzwischen geändert; so steht er jetzt.',
  gone: 'Schritt {n} von damals steht nicht mehr im Plan; so steht er jetzt.',
  skipped: '~~{step}~~ (übersprungen)',
  more: 'und {n, number} weitere',
  now: '{done} von {total} erledigt. Gerade: {step}',
  next: '{done} von {total} erledigt. Als Nächstes: {step}',
  allDone: 'Alles erledigt.',
  done: '{n} ist erledigt',
  skip: '{n} überspringen',
  drop: '{n} streichen',
  peopleOnly: 'Den Plan von **{title}** dürfen nur die Beteiligten ändern; frag jemanden von ihnen.',
  noStep: 'Einen Schritt {n} gibt es nicht.',
  added: 'Dazugeschrieben.',
  made: 'Plan: {n, plural, one {# Schritt} other {# Schritte}}, als Nächstes: {step}',
  changedLine: 'Plan: {changes}',
  apply: 'Übernehmen',
  keep: 'Meinen behalten',
  applied: 'Der Plan ist jetzt, wie ich ihn vorgeschlagen habe.',
  kept: 'Der Plan bleibt, wie er ist.',
  proposalGone: 'Diesen Vorschlag gibt es nicht mehr; so steht der Plan.',
  edited: 'Du hast den Plan von **{title}** in einer Datei geändert; ich halte mich jetzt daran.',
  editTook:
    'Du hast den Plan von **{title}** in einer Datei geändert; ich halte mich jetzt daran. Die frühere Fassung ist als {file} aufgehoben.',
  editMerged:
    'Du hast den Plan von **{title}** aus einem Editor gespeichert, der einen älteren Stand zeigte. Ich habe deine Änderung mit dem zusammengeführt, was seitdem passiert ist.',
  editAside:
    'Ich weiß nicht, zu welcher Aufgabe der Plan in der task.md gehört, die du gespeichert hast, und habe keinen geändert. Sie ist als {file} aufgehoben.',
});
