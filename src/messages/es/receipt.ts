/** Cuenta qué fue de los mensajes de las personas. */
import { translate } from '../arguments.ts';
import { receipt as english } from '../en/receipt.ts';

export const receipt = translate(english)({
  kept: 'No se perdió nada de lo que escribiste: {messages, plural, one {un mensaje} other {# mensajes}}, {answered} con respuesta, {restarts, plural, =0 {ningún reinicio} one {un reinicio} other {# reinicios}}.',
  counted:
    '{messages, plural, one {Un mensaje} other {# mensajes}}, {answered} con respuesta, {restarts, plural, =0 {ningún reinicio} one {un reinicio} other {# reinicios}}.',
  week: 'Desde {from}: {text}',
  none: 'Nadie ha escrito desde {from}.',
  failed: '{n, plural, one {Una de las respuestas dice} other {# de las respuestas dicen}} que algo salió mal.',
  stopped: '{n, plural, one {Uno se detuvo} other {# se detuvieron}} antes del final.',
  waiting: '{n, plural, one {Uno todavía espera.} other {# todavía esperan.}}',
  givenUp:
    '{n, plural, one {Uno se descartó, y se avisó a quien lo envió.} other {# se descartaron, y se avisó a quienes los enviaron.}}',
  unknown: '{n, plural, one {Uno no tiene respuesta registrada.} other {# no tienen respuesta registrada.}}',
  undelivered: '{n, plural, one {Una respuesta no se pudo} other {# respuestas no se pudieron}} entregar.',
  unsure: 'No puedo saber si {n, plural, one {llegó una respuesta} other {llegaron # respuestas}}.',
  deleted:
    '{n, plural, one {Un turno más estaba} other {# turnos más estaban}} en tareas que se han borrado desde entonces.',
  atLeast: 'Algunas conversaciones son demasiado largas para contarlas enteras, así que puede haber más.',
  restartsSince: 'Los reinicios se cuentan desde {when}.',
  refused: 'Los mensajes que rechacé en el acto no se cuentan; se avisó a quienes los enviaron.',
});
