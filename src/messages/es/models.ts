/** El modelo que contesta en una conversación, su precio, y cuánto piensa. */
import { translate } from '../arguments.ts';
import { models as english } from '../en/models.ts';

export const models = translate(english)({
  now: 'Aquí contesto con **{name}** ({id}): {cost}. {reads}',
  nowPlain: 'Aquí contesto con **{name}**: {cost}. {reads}',
  thinksNow: 'Cuánto piensa: **{level}**.',
  costs: '{input} por un millón de tokens de entrada, {output} por un millón de salida',
  free: 'no cuesta nada',
  unknownCost: 'no sé cuánto cuesta',
  reads: 'Lee hasta {tokens} tokens de una vez.',
  others: 'Puedes elegir otro:',
  button: '{name}, {input} / {output}',
  bareButton: '{name}',
  usualButton: 'El habitual',
  changed: 'Desde mi próxima respuesta uso aquí **{name}** ({id}): {cost}.',
  usual: 'Desde mi próxima respuesta uso aquí el modelo habitual, **{name}** ({id}): {cost}.',
  noLevel: 'No conoce «{level}», así que piensa tanto como de costumbre.',
  ask: '¿Uso {name} aquí desde mi próxima respuesta? {cost}.',
  unknown: 'No encuentro ningún modelo «{words}» que pueda usar aquí.',
  notYours: 'Solo un propietario puede elegir {name}: no está entre los modelos permitidos para todos.',
  unusable: 'Todavía no puedo usar {id}: {why}.',
  thinks: 'Cuánto pienso aquí antes de contestar: **{level}**.',
  thinksUsual: 'Aquí pienso tanto como {name} suele hacerlo.',
  thinkChanged:
    'Cuánto pienso aquí, desde mi próxima respuesta: **{level}**. Pensar más da mejores respuestas a preguntas difíciles y cuesta más.',
  thinkUsual: 'Desde mi próxima respuesta pienso tanto como {name} suele hacerlo.',
  cannotChoose: '{name} no me deja elegir cuánto piensa. /model muestra otros.',
  noneChoosable: '{name} no tiene niveles de pensamiento.',
  connect: 'No hay ningún otro modelo conectado. Para conectar uno, ejecuta `{command}` en mi máquina.',
  cannotThink: '{name} no conoce «{level}». Puedes elegir {levels}.',
  levelOff: 'nada',
  levelLow: 'un poco',
  levelMedium: 'un rato',
  levelHigh: 'mucho',
  levelUsual: 'Lo habitual',
  howLong: 'Escribe /think off, /think low, /think medium o /think high.',
});
