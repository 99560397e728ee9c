/** Worum man bitten kann: acht Zeilen. */
import { translate } from '../arguments.ts';
import { help as english } from '../en/help.ts';

export const help = translate(english)({
  about: 'Schreib mir wie einer Kollegin, und schick Dateien mit, wenn sie helfen.',
  now: '**Jetzt**: /status was ich tue, /stop beendet es, /plan die Schritte, /steer und /followup ändern, was kommt',
  tasks: '**Aufgaben**: /new beginnt eine andere, /tasks zeigt deine, /open macht mit einer hier weiter',
  files: '**Dateien**: /artifacts zeigt sie, /get schickt eine, /export gibt dir das ganze Gespräch',
  memory: '**Gedächtnis**: /memory was ich weiß, /compact macht Platz für mehr',
  routine: '**Immer wieder**: /jobs was geplant ist, /play spielt ein Playbook',
  model: '**Modell**: /model welches Modell antwortet, /think wie lange, /skills was ich sonst benutzen kann',
  here: '**Hier**: /use wer antwortet, /live was du siehst, während ich arbeite, /queue was inzwischen aus Nachrichten wird, /timezone deine Zeitzone, /link deine anderen Konten',
  more: '**Mehr**: {names}',
  statusButton: 'Was tust du gerade?',
  tasksButton: 'Meine Aufgaben',
  planButton: 'Der Plan',
  newButton: 'Etwas Neues',
});
