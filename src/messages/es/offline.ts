/** El modelo pequeño integrado. Sus ejemplos son lo que entiende. */
import { translate } from '../arguments.ts';
import { offline as english } from '../en/offline.ts';

export const offline = translate(english)({
  about:
    'Soy el modelo pequeño integrado: entiendo unas pocas peticiones fijas, y no puedo pensar ni conversar libremente.',
  hello: '¡Hola! {about}',
  abilities: `Entiendo estas peticiones en inglés:
- hacer un plan: «plan: comprar pintura; pintar la pared; limpiar»; marcar un paso: «done 2»; verlo: «show plan»
- escribir un archivo: «write a file notas.md: el texto»; leer uno: «read notas.md»; «list files»
- recordar: «remember that I like tea», «what do you know?»

Los horarios en palabras necesitan un modelo de lenguaje. Para añadir un trabajo a mano, ejecuta \`{add}\` en la máquina donde funciono.`,
  realModel: 'Para conectar un modelo de lenguaje, ejecuta `{command}` en la máquina donde funciono.',
  cannot:
    'No puedo hacer eso sin un modelo de lenguaje: el pequeño integrado entiende unas pocas peticiones fijas, y «help» las muestra.\nPara conectar un modelo de lenguaje, ejecuta `{command}` en la máquina donde funciono.',
  cannotSchedule:
    'No puedo programar eso sin un modelo de lenguaje. Para añadir un trabajo a mano, ejecuta `{add}` en la máquina donde funciono.\nPara conectar un modelo de lenguaje, ejecuta `{command}` allí.',
  cannotInProject:
    'No puedo trabajar en proyectos sin un modelo de lenguaje, así que no cambié nada.\nPara conectar uno, ejecuta `{command}` en la máquina donde funciono.',
  unknown: 'No entendí «{text}».',
  noTool: 'Eso no puedo hacerlo aquí ({tool}).',
  planMade: 'El plan tiene {n, plural, one {# paso} other {# pasos}}.',
  planReplaced:
    'Reemplaza un plan con {n, plural, one {un paso pendiente} other {# pasos pendientes}}: {left}. Para conservar un plan y empezar otra tarea, envía antes /new.',
  noPlan: 'Todavía no hay plan. Di «plan: primero; segundo; tercero» para hacer uno; /tasks muestra tus otras tareas.',
  noStep: 'En el plan no hay ningún paso {step}:',
  step: '{id}, «{title}»,',
  quoted: '«{title}»',
  stepIs: '{n, plural, one {El paso {steps} está hecho} other {Los pasos {steps} están hechos}}; {rest}.',
  allDone: 'con eso está hecho todo el plan',
  left: 'quedan {left} de {total}',
  planFailed: 'No se pudo cambiar el plan: {why}',
  planConflict: 'Mientras tanto, otra persona cambió el plan, así que el mío es solo una propuesta.',
  stepsLeft: 'Quedan {left} de {total, plural, one {# paso} other {# pasos}}.',
  isInProgress: '(en curso)',
  isSkipped: '(omitido)',
  notRemembered: 'No pude recordarlo: {why}',
  rememberWaits: 'Lo recordaré en cuanto lo aceptes: {text}',
  remembered: 'Recordaré: {text}',
  nothingKnown: 'Todavía no recuerdo nada. Di «remember that …» para cambiarlo.',
  nothingAccepted: 'Todavía no recuerdo nada: lo que te pregunté cuenta en cuanto lo aceptes. Para eso, envía /memory.',
  keptOut: 'Donde otros pueden leer no muestro lo que recuerdo; pregúntame en un mensaje directo.',
  known: 'Recuerdo:',
  wrote: 'Escribí {file}.',
  notWritten: 'No se pudo escribir {file}: {why}',
  notRead: 'No se pudo leer {file}: {why}',
  notListed: 'No se pudieron enumerar los archivos: {why}',
  noFiles: 'Todavía no hay archivos.',
  files: 'Los archivos son:',
  noFileYet: 'Todavía no hay ningún archivo',
  noFile: 'No encuentro ningún archivo {file}',
  thereIs: 'Hay: {names}.',
});
