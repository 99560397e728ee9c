/** Zählt, was aus den Nachrichten der Menschen wurde. */
import { translate } from '../arguments.ts';
import { receipt as english } from '../en/receipt.ts';

export const receipt = translate(english)({
  kept: 'Nichts, was ihr geschrieben habt, ging verloren: {messages, plural, one {eine Nachricht} other {# Nachrichten}}, {answered} beantwortet, {restarts, plural, =0 {kein Neustart} one {ein Neustart} other {# Neustarts}}.',
  counted:
    '{messages, plural, one {Eine Nachricht} other {# Nachrichten}}, {answered} beantwortet, {restarts, plural, =0 {kein Neustart} one {ein Neustart} other {# Neustarts}}.',
  week: 'Seit {from}: {text}',
  none: 'Seit {from} hat niemand geschrieben.',
  failed: '{n, plural, one {Eine der Antworten sagt} other {# der Antworten sagen}}, dass etwas schiefging.',
  stopped: '{n, plural, one {Eine wurde} other {# wurden}} vor dem Ende angehalten.',
  waiting: '{n, plural, one {Eine wartet noch.} other {# warten noch.}}',
  givenUp:
    '{n, plural, one {Eine wurde aufgegeben, und wer sie schrieb, weiß es.} other {# wurden aufgegeben, und wer sie schrieb, weiß es.}}',
  unknown: 'Zu {n, plural, one {einer} other {#}} ist keine Antwort verzeichnet.',
  undelivered: '{n, plural, one {Eine Antwort ließ} other {# Antworten ließen}} sich nicht zustellen.',
  unsure: 'Ob {n, plural, one {eine Antwort ankam} other {# Antworten ankamen}}, kann ich nicht wissen.',
  deleted:
    '{n, plural, one {Ein weiterer Durchlauf gehörte} other {# weitere Durchläufe gehörten}} zu Aufgaben, die seitdem gelöscht wurden.',
  atLeast: 'Manche Gespräche sind zu lang, um sie ganz zu zählen; es können also mehr sein.',
  restartsSince: 'Neustarts sind gezählt seit {when}.',
  refused: 'Was ich gleich abgelehnt habe, zählt nicht mit; wer es schrieb, weiß es.',
});
