/** Befehle: wer sie geben darf, und die über das Gespräch selbst. */
import { translate } from '../arguments.ts';
import { commands as english } from '../en/commands.ts';

export const commands = translate(english)({
  unknown: '/{name} kenne ich nicht. {hint}',
  hint: '/help zeigt, was ich kann.',
  peopleOnly: 'Das dürfen mit /{name} nur die Beteiligten von **{title}**; frag jemanden von ihnen.',
  notAllowed: '/{name} darfst du hier nicht benutzen; frag den Besitzer dieses Bots.',
  membersOnly: 'Das dürfen hier nur die Leute dieses Bots ändern; frag seinen Besitzer.',
  unknownTask: 'Ich kenne keine Aufgabe {id} von dir. /tasks zeigt sie alle.',
  unknownTaskHere:
    'Ich kenne hier keine Aufgabe {id}. /tasks zeigt die dieser Gruppe; nach anderen frag mich in einer Direktnachricht.',
  whatToSteer: 'Was soll ich anders machen? Schreib es hinter /steer.',
  whatFollows: 'Was kommt danach? Schreib es hinter /followup.',
  queueNow: 'Nachrichten hier: **{mode}**, {means}.',
  queueNowWaiting:
    'Nachrichten hier: **{mode}**, {means}. {n, plural, one {# Nachricht wartet.} other {# Nachrichten warten.}}',
  queueSet: 'Nachrichten hier ab jetzt: **{mode}**, {means}.',
  queueHow: 'Schreib /queue steer, /queue collect oder /queue followup.',
  steer: 'was du schreibst, ändert sofort, was ich gerade tue',
  collect: 'was du inzwischen schreibst, sammle ich und nehme es mir vor, wenn ich fertig bin',
  followup: 'jede Nachricht wartet, bis sie an der Reihe ist',
  zoneIs: 'Deine Zeitzone ist **{zone}**. Mit /timezone und einer Stadt änderst du sie.',
  zoneUnknown:
    'Ich kenne deine Zeitzone nicht und nehme **{zone}**. Schreib /timezone und eine Stadt, zum Beispiel /timezone Berlin.',
  zoneSet: 'Deine Zeitzone ist jetzt **{zone}**.',
  zoneUnread: 'Ich kenne keine Zeitzone „{given}“. Schreib eine Stadt oder einen Namen wie Europe/Berlin.',
  zoneNotYours: 'Nur die Leute dieses Bots haben hier eine Zeitzone.',
  jobsStay:
    '{n, plural, one {Ein Auftrag von dir richtet sich nach: {zone}. Das bleibt so, wenn du ihn nicht mitnimmst.} other {# Aufträge von dir richten sich nach: {zone}. Das bleibt so, wenn du sie nicht mitnimmst.}}',
  jobsMoved: '{n, plural, one {Ein Auftrag richtet} other {# Aufträge richten}} sich jetzt nach: {zone}.',
  moveThem: 'Mitnehmen',
  liveNow: 'Fortschritt hier: **{mode}**, {means}.',
  liveSet: 'Fortschritt hier ab jetzt: **{mode}**, {means}.',
  liveHow: 'Schreib /live off, /live status oder /live text.',
  liveOff: 'du siehst nichts, bis die Antwort da ist',
  liveStatus: 'du siehst in einer Nachricht, was ich tue',
  liveText: 'du siehst die Antwort wachsen, wo das möglich ist',
  nearly: '/{name} kenne ich nicht. Meinst du /{near}?',
});
