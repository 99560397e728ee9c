/** En qué quedó una pregunta cuando ya está decidida. */
import { translate } from '../arguments.ts';
import { outcomes as english } from '../en/outcomes.ts';

export const outcomes = translate(english)({
  approved: '✓ {by} lo aprobó, {time}',
  always: '✓ {by} lo aprobó, {time}; ya no pregunto por esto aquí.',
  denied: '✗ {by} lo rechazó, {time}',
  answered: '✓ {by} eligió «{answer}», {time}',
  approvedOnBoard: '✓ {by} lo aprobó en el panel, {time}',
  alwaysOnBoard: '✓ {by} lo aprobó en el panel, {time}; ya no pregunto por esto aquí.',
  deniedOnBoard: '✗ {by} lo rechazó en el panel, {time}',
  answeredOnBoard: '✓ {by} eligió «{answer}» en el panel, {time}',
  another: '{by} pidió otra hora: «{answer}», {time}',
  wentOn: 'Nadie contestó, así que seguí con «{answer}» a las {time}.',
  expired: 'Nadie contestó a tiempo, así que no lo hice.',
  wrote: 'Ya no hace falta: {by} me escribió en su lugar.',
  stopped: 'Ya no hace falta: el trabajo se detuvo.',
  skillTaken: '✓ {by} lo hizo, {time}',
  skillLeft: '✗ {by} lo descartó, {time}',
  letIn: '✓ {by} le dio acceso, {time}',
  letInThere: '✓ Acceso dado en la línea de comandos, {time}',
  turnedAwayThere: '✗ Acceso negado en la línea de comandos, {time}',
  known: 'Ya no hace falta: esa persona ya puede escribirme.',
  turnedAway: '✗ {by} le negó el acceso, {time}',
  remembered: '✓ Recordado ({by}, {time}): {text}',
  notRemembered: '✗ No recordado ({by}, {time}): {text}',
});
