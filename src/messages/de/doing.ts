/** Was gerade getan wurde: „Mir ist beim Schreiben einer Datei etwas schiefgegangen.“ */
import { translate } from '../arguments.ts';
import { doing as english } from '../en/doing.ts';

export const doing = translate(english)({
  plan: 'beim Ändern des Plans',
  writing: 'beim Schreiben einer Datei',
  attaching: 'beim Anhängen einer Datei',
  reading: 'beim Lesen einer Datei',
  files: 'beim Durchsehen der Dateien',
  memory: 'beim Ändern meines Gedächtnisses',
  recalling: 'beim Suchen in meinem Gedächtnis',
  agent: 'beim Fragen eines anderen Agenten',
  sending: 'beim Senden einer Nachricht',
  jobs: 'bei den geplanten Aufträgen',
  tasks: 'beim Durchsehen der Aufgaben',
  model: 'beim Wechseln des Modells',
  clock: 'beim Stellen deiner Uhr',
  searching: 'beim Suchen im Web',
  page: 'beim Lesen einer Webseite',
  command: 'beim Ausführen eines Befehls',
  using: 'bei der Arbeit mit {what}',
});
