/** Befehle: wer sie geben darf, und die über das Gespräch selbst. */
import { translate } from '../arguments.ts';
import * as english from '../en/commands.ts';

export const commands = translate(english.commands)({
  unknown: '/{name} kenne ich nicht. {hint}',
  hint: '/help zeigt, was ich kann.',
  goalHint:
    '/{name} kann mit diesen Wörtern nichts anfangen. Für ein Ziel, das mit einem meiner Befehle beginnt, schreib /task davor: `/task {goal}`',
  unkept:
    'Ich wurde neu gestartet, bevor ich dir etwas zu {what} sagen konnte. Geändert ist nichts; bitte mich noch einmal darum.',
  lastOne: 'deiner Bitte',
  peopleOnly: 'In **{title}** dürfen nur die Beteiligten /{name} benutzen; frag jemanden von ihnen.',
  notAllowed: '/{name} darfst du hier nicht benutzen; frag den Besitzer dieses Bots.',
  membersOnly: 'Das dürfen hier nur Mitglieder dieses Bots ändern; frag seinen Besitzer.',
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
  zoneNotYours: 'Nur Mitglieder dieses Bots haben hier eine Zeitzone.',
  jobsStay:
    '{n, plural, one {Für einen Auftrag von dir gilt noch: {zone}. Soll er mit?} other {Für # Aufträge von dir gilt noch: {zone}. Sollen sie mit?}}',
  jobsMoved: 'Für {n, plural, one {einen Auftrag} other {# Aufträge}} gilt jetzt: {zone}.',
  moveThem: 'Mitnehmen',
  liveNow: 'Fortschritt hier: **{mode}**, {means}.',
  liveSet: 'Fortschritt hier ab jetzt: **{mode}**, {means}.',
  liveHow: 'Schreib /live off, /live status oder /live text.',
  liveOff: 'du siehst nichts, bis die Antwort da ist',
  liveStatus: 'du siehst in einer Nachricht, was ich tue',
  liveText: 'du siehst die Antwort wachsen, wo das möglich ist',
  nearly: '/{name} kenne ich nicht. Meinst du /{near}?',
});

/** Worum man bitten kann: acht Zeilen. */
export const help = translate(english.help)({
  about: 'Schreib mir wie einer Kollegin, und schick Dateien mit, wenn sie helfen.',
  now: 'Jetzt',
  tasks: 'Aufgaben',
  files: 'Dateien',
  memory: 'Gedächtnis',
  routine: 'Immer wieder',
  model: 'Fähigkeiten und Modell',
  here: 'Hier',
  more: '**Mehr**: {names}',
  all: '/help all zeigt alle Befehle.',
  statusButton: 'Was tust du gerade?',
  tasksButton: 'Meine Aufgaben',
  planButton: 'Der Plan',
  newButton: 'Etwas Neues',
});

export const does = translate(english.does)({
  status: 'was ich tue',
  stop: 'beendet, was ich tue',
  plan: 'die Schritte',
  steer: 'ändert, was ich gerade tue',
  followup: 'sagt, was danach kommt',
  new: 'beginnt eine andere Aufgabe',
  tasks: 'zeigt deine Aufgaben',
  open: 'macht mit einer hier weiter',
  artifacts: 'zeigt sie',
  get: 'schickt eine',
  export: 'gibt dir das ganze Gespräch',
  memory: 'was ich weiß',
  compact: 'macht Platz für mehr',
  jobs: 'was geplant ist',
  play: 'startet ein Playbook',
  model: 'welches Modell antwortet',
  think: 'wie lange es nachdenkt',
  skills: 'was ich sonst benutzen kann',
  use: 'wer antwortet',
  live: 'was du siehst, während ich arbeite',
  queue: 'was inzwischen aus Nachrichten wird',
  timezone: 'deine Zeitzone',
  link: 'deine anderen Konten',
  board: 'alles davon im Browser',
});
