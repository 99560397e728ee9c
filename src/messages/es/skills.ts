/** Habilidades y herramientas, y qué falta para las demás. */
import { translate } from '../arguments.ts';
import * as english from '../en/skills.ts';

export const skills = translate(english.skills)({
  noneHere: 'Aquí no hay habilidades.',
  none: 'No hay habilidades.',
  all: 'Mis habilidades:',
  read: 'se puede leer',
  run: 'se puede ejecutar',
  readAndRun: 'se puede leer, sus programas se pueden ejecutar',
  but: '{state}, pero {fixes}',
  lacks: 'le falta {what}: {fixes}',
  missing: 'no se puede usar: {fixes}',
  ownWay: '{state}; solo cuando la llamas: /skills use {name}',
  skill: '- **{name}**: {what} ({state})',
  server: '- **{name}** (servidor de herramientas): {state}',
  serverWhy: '- **{name}** (servidor de herramientas): {state}: {why}',
  idle: 'todavía sin usar',
  connecting: 'conectando',
  connected: 'bien, {n, plural, one {# herramienta} other {# herramientas}}',
  failed: 'sin conexión',
  more: 'y {n, number} más',
  broken: 'Sin cargar:',
  odd: 'Cargadas, con avisos:',
  calling: 'Usando la habilidad **{name}** …',
  unknown: 'Aquí no hay ninguna habilidad **{name}**; /skills las muestra.',
  notByName:
    'No puedes llamar a la habilidad **{name}** por su nombre. Dime qué quieres hacer y la usaré donde encaje.',
  notYet: 'Todavía no puedo usar **{name}**: {fixes}.',
  membersOnly: 'Las habilidades son para las personas de este bot; pregunta a su propietario.',
});

/** Prompts de los servidores de herramientas, para elegir. */
export const prompts = translate(english.prompts)({
  notHere: 'Aquí no se pueden usar prompts.',
  noServers: 'Aquí no hay ningún servidor de herramientas, así que no hay prompts.',
  none: 'Los servidores de herramientas no tienen prompts.',
  membersOnly: 'Los prompts son para las personas de este bot; pregunta a su propietario.',
  peopleOnly: 'Solo las personas de **{title}** pueden usar un prompt en esa tarea; pídeselo a una de ellas.',
  listed: '- **{name}** ({server}): {what}',
  listedNeeds: '- **{name}** ({server}): {what} Necesita {needs}.',
  how: 'Pulsa uno, o escribe /prompts NOMBRE. Lo que necesita va después como nombre=valor, o nombre="dos palabras".',
  more: 'y {n, number} más',
  unknown: 'No hay ningún prompt {name}. /prompts muestra los que hay.',
  several: 'Más de un servidor tiene un prompt {name}. Di cuál: {names}.',
  needs: 'El prompt {name} necesita {what}: envía /prompts {name} {example}',
  notNeeded: 'El prompt {name} no admite {given}.',
  using: 'Hago lo que pide {name} de {server}.',
  say: 'Haz lo que pide el prompt {name} de {server}. Lo elegí yo; está en la cita.',
});
