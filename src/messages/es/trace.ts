/** El camino de un mensaje, como lo muestra `viber trace`. */
import { translate } from '../arguments.ts';
import { trace as english } from '../en/trace.ts';

export const trace = translate(english)({
  title: 'traza {id}',
  titleOfTask: 'traza {id}, tarea {task}',
  what: '{what, select, accepted {aceptado} claimed {tomado} modelCall {modelo} tool {herramienta} step {paso} result {resultado} out {salida} intent {intento} sent {enviado} refused {rechazado} unsure {dudoso} approval {permiso} decision {decisión} other {{what}}}',
  accepted: 'de {from} en {lane}, ahora {state}{crashes, plural, =0 {} one {, # caída} other {, # caídas}}',
  dead: '{what}, descartado: {why}',
  out: 'a {channel}, ahora {state}{reason}',
  intent: 'parte 0, con el archivo',
  part: 'parte {part}{isSent, select, yes { como {id}} other {}}',
  run: 'turno {run}',
  tool: 'empieza {tool}',
  step: '{n}: {tool}',
  textStep: '{n}: texto',
  andTool: '{before}, {tool}',
  toolFailed: '{tool} (falló)',
  asked: 'preguntado: {kind}, {tool}',
  continued: '{what}, continúa en {run}',
  providerSaid: '{what} El proveedor dijo: {words}',
  call: '{model}, {ms} ms, {tokensIn} tokens de entrada, {tokensOut} de salida',
  estimated: '{model}, {ms} ms, {tokensIn} tokens de entrada, {tokensOut} de salida (estimado: la respuesta se cortó)',
});
