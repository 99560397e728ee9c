/** Was von der Arbeit zu sehen ist, während sie dauert. */
import { translate } from '../arguments.ts';
import { live as english } from '../en/live.ts';

export const live = translate(english)({
  line: 'Bei der Arbeit: {doing} … {time}',
  lineSteps: 'Bei der Arbeit ({done}/{total}): {doing} … {time}',
  of: '{agent}: {doing}',
  thinking: 'denke nach',
  waiting: 'warte auf deine Antwort',
  plan: 'bringe den Plan auf Stand',
  writing: 'schreibe {file}',
  attaching: 'hänge eine Datei an',
  reading: 'lese {file}',
  aFile: 'eine Datei',
  files: 'sehe die Dateien durch',
  note: 'mache eine Notiz',
  memory: 'suche in meinem Gedächtnis',
  askingYou: 'frage dich',
  asking: 'frage {agent}',
  anotherAgent: 'einen anderen Agenten',
  notice: 'schicke eine Mitteilung',
  newJob: 'plane etwas ein',
  jobs: 'sehe nach, was geplant ist',
  noJob: 'lösche etwas Geplantes',
  model: 'wechsle das Modell',
  using: 'benutze {what}',
  aTool: 'ein Werkzeug',
  stop: 'Stopp',
});
