/** Was aus einer Frage wird, wenn sie entschieden ist. */
import { translate } from '../arguments.ts';
import { outcomes as english } from '../en/outcomes.ts';

export const outcomes = translate(english)({
  approved: '✓ Von {by} genehmigt, {time}',
  always: '✓ Von {by} genehmigt, {time}; hier frage ich danach nicht mehr.',
  denied: '✗ Von {by} abgelehnt, {time}',
  answered: '✓ {by} hat „{answer}“ gewählt, {time}',
  approvedOnBoard: '✓ Auf dem Board von {by} genehmigt, {time}',
  alwaysOnBoard: '✓ Auf dem Board von {by} genehmigt, {time}; hier frage ich danach nicht mehr.',
  deniedOnBoard: '✗ Auf dem Board von {by} abgelehnt, {time}',
  answeredOnBoard: '✓ {by} hat auf dem Board „{answer}“ gewählt, {time}',
  another: '{by} möchte eine andere Zeit: „{answer}“, {time}',
  wentOn: 'Niemand hat geantwortet, also habe ich um {time} mit „{answer}“ weitergemacht.',
  expired: 'Niemand hat rechtzeitig geantwortet, also habe ich es nicht getan.',
  wrote: 'Erledigt: {by} hat mir stattdessen geschrieben.',
  stopped: 'Erledigt: Die Arbeit wurde angehalten.',
  skillTaken: '✓ Erledigt von {by}, {time}',
  skillLeft: '✗ Von {by} abgelehnt, {time}',
  letIn: '✓ Von {by} hereingelassen, {time}',
  letInThere: '✓ Auf der Kommandozeile hereingelassen, {time}',
  turnedAwayThere: '✗ Auf der Kommandozeile abgewiesen, {time}',
  known: 'Erledigt: Wer gefragt hat, darf mir schon schreiben.',
  turnedAway: '✗ Von {by} abgewiesen, {time}',
  remembered: '✓ Gemerkt ({by}, {time}): {text}',
  notRemembered: '✗ Nicht gemerkt ({by}, {time}): {text}',
});
