/** Was zu einer Frage genauer zu sagen ist: wo etwas läuft, was es erreicht, und wann. */
import { translate } from '../arguments.ts';
import { details as english } from '../en/details.ts';

export const details = translate(english)({
  taskFolder: 'einem Ordner dieser Aufgabe',
  sandboxed:
    'Es arbeitet in {where}, in einer Sandbox, {network, select, yes {mit Zugang zum Netz} other {ohne Netz}}, und kann die Dateien dieser Aufgabe lesen.',
  open: 'Es arbeitet in {where}, ohne Sandbox: Es kann lesen und ändern, was dieses Gateway kann, und ins Netz.',
  skillFiles: 'Es darf die Dateien des Skills in {folder} benutzen.',
  program:
    'Es arbeitet in einem Ordner dieser Aufgabe, in einer Sandbox, {network, select, yes {mit Zugang zum Netz} other {ohne Netz}}; es kann die Dateien dieser Aufgabe lesen und die des Skills in {folder}.',
  command:
    'Er arbeitet in {where}, in einer Sandbox, {network, select, yes {mit Zugang zum Netz} other {ohne Netz}}, und kann die Dateien dieser Aufgabe lesen; nach {seconds, plural, one {# Sekunde} other {# Sekunden}} wird er beendet, sofern er nichts anderes angibt.',
  given: 'Mitgegeben wird: {names}.',
  address: '{host} erfährt diese Adresse, mit allem, was in ihr steht.',
  searches: '{who} bekommt diese Wörter zu lesen.',
  job: 'Zeitplan: {when}; das Ergebnis geht an {places}. Die nächsten Zeiten ({zone}):',
  here: 'dieses Gespräch',
  jobMoved: 'Zeitplan: {when}. Die nächsten Zeiten ({zone}):',
  jobDeleted:
    'Das löscht den Auftrag „{name}“ ({id}), {made, select, hand {von Hand geschrieben} other {in einem Chat angelegt}}: {when}.',
});
