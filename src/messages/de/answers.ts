/** Was zur Antwort des Modells hinzukommt oder an ihrer Stelle steht. */
import { translate } from '../arguments.ts';
import { answers as english } from '../en/answers.ts';

export const answers = translate(english)({
  done: 'Fertig.',
  somethingToRemember: 'Hier ist etwas, das ich mir merken könnte.',
  planConflict: 'Der Plan wurde inzwischen geändert, es gilt deiner. Ich hätte geschrieben:',
});
