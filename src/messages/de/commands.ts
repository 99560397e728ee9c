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
    '{n, plural, one {Für einen Auftrag von dir gilt weiter {zone}, bis du ihn umstellst.} other {Für # Aufträge von dir gilt weiter {zone}, bis du sie umstellst.}}',
  jobsMoved: 'Für {n, plural, one {einen Auftrag} other {# Aufträge}} gilt jetzt: {zone}.',
  moveThem: 'Umstellen',
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
  routine: 'Aufträge und Playbooks',
  model: 'Skills und Modell',
  here: 'Dieser Chat',
  more: '**Mehr**: {names}',
  all: '/help all zeigt alle Befehle.',
  statusButton: 'Was tust du gerade?',
  tasksButton: 'Meine Aufgaben',
  planButton: 'Der Plan',
  newButton: 'Etwas Neues',
});

export const does = translate(english.does)({
  status: 'zeigt, was ich gerade tue',
  stop: 'hält an, was ich gerade tue',
  plan: 'zeigt die Schritte',
  steer: 'ändert, was ich gerade tue',
  followup: 'sagt, was danach kommt',
  new: 'beginnt eine andere Aufgabe',
  tasks: 'zeigt deine Aufgaben',
  open: 'macht hier mit einer weiter',
  artifacts: 'zeigt die Dateien dieser Aufgabe',
  get: 'schickt dir eine',
  export: 'schickt dir das ganze Gespräch',
  why: 'erklärt meine letzte Antwort',
  memory: 'zeigt, was ich mir gemerkt habe',
  compact: 'fasst ältere Nachrichten zusammen',
  project: 'wählt den Ordner, in dem ich arbeite',
  jobs: 'zeigt geplante Aufträge',
  play: 'führt ein Playbook aus',
  model: 'wählt das Modell, das antwortet',
  think: 'legt fest, wie lange ich nachdenke',
  skills: 'zeigt meine Skills und Werkzeuge',
  use: 'wählt den Viber, der antwortet',
  live: 'legt fest, was du siehst, während ich arbeite',
  queue: 'legt fest, was mit Nachrichten geschieht, während ich arbeite',
  timezone: 'legt deine Zeitzone fest',
  link: 'verbindet deine anderen Konten',
  board: 'öffnet das Board im Browser',
});
