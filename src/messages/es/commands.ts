/** Comandos: quién puede darlos, y los que tratan de la propia conversación. */
import { translate } from '../arguments.ts';
import * as english from '../en/commands.ts';

export const commands = translate(english.commands)({
  unknown: 'No conozco /{name}. {hint}',
  hint: 'Envía /help para ver qué sé hacer.',
  goalHint:
    '/{name} no admite esas palabras. Para darme un objetivo que empieza por uno de mis comandos, escribe /task delante: `/task {goal}`',
  unkept: 'Me reiniciaron antes de poder responderte sobre {what}. No se cambió nada; pídemelo una vez más.',
  lastOne: 'lo que pediste',
  peopleOnly: 'Solo las personas de **{title}** pueden usar /{name} en esa tarea; pídeselo a una de ellas.',
  notAllowed: 'No puedes usar /{name} aquí; pídeselo al propietario de este bot.',
  membersOnly: 'Eso solo pueden cambiarlo aquí las personas de este bot; pídeselo a su propietario.',
  unknownTask: 'No encuentro ninguna tarea tuya {id}. /tasks las muestra.',
  unknownTaskHere:
    'Aquí no encuentro ninguna tarea {id}. /tasks muestra las de este grupo; pregúntame por otras en un mensaje directo.',
  whatToSteer: '¿Qué debo hacer de otra forma? Escríbelo después de /steer.',
  whatFollows: '¿Qué viene después? Escríbelo después de /followup.',
  queueNow: 'Mensajes nuevos aquí: **{mode}**, {means}.',
  queueNowWaiting:
    'Mensajes nuevos aquí: **{mode}**, {means}. {n, plural, one {# mensaje espera.} other {# mensajes esperan.}}',
  queueSet: 'Mensajes nuevos aquí, a partir de ahora: **{mode}**, {means}.',
  queueHow: 'Escribe /queue steer, /queue collect o /queue followup.',
  steer: 'lo que escribes cambia en el acto lo que estoy haciendo',
  collect: 'reúno lo que escribes y me pongo con ello cuando termino',
  followup: 'cada mensaje espera su turno',
  zoneIs: 'Tu zona horaria es **{zone}**. Escribe /timezone y una ciudad para cambiarla.',
  zoneUnknown:
    'No conozco tu zona horaria, así que uso **{zone}**. Escribe /timezone y una ciudad, por ejemplo /timezone Madrid.',
  zoneSet: 'Tu zona horaria es ahora **{zone}**.',
  zoneUnread: 'No encuentro ninguna zona horaria «{given}». Escribe una ciudad o un nombre como Europe/Madrid.',
  zoneNotYours: 'Aquí solo tienen zona horaria las personas de este bot.',
  jobsStay:
    '{n, plural, one {Un trabajo tuyo usa {zone} y la conserva si no lo cambias.} other {# trabajos tuyos usan {zone} y la conservan si no los cambias.}}',
  jobsMoved: '{n, plural, one {Un trabajo usa} other {# trabajos usan}} {zone} ahora.',
  moveThem: 'Cambiarlos',
  liveNow: 'El progreso aquí: **{mode}**, {means}.',
  liveSet: 'El progreso aquí, a partir de ahora: **{mode}**, {means}.',
  liveHow: 'Escribe /live off, /live status o /live text.',
  liveOff: 'no ves nada hasta que llega la respuesta',
  liveStatus: 'ves lo que hago, en un mensaje',
  liveText: 'ves cómo crece la respuesta, donde es posible',
  nearly: 'No conozco /{name}. ¿Querías decir /{near}?',
});

/** Lo que se puede pedir: ocho líneas. */
export const help = translate(english.help)({
  about: 'Escríbeme como a alguien de tu equipo, y envíame archivos si ayudan.',
  now: 'Ahora',
  tasks: 'Tareas',
  files: 'Archivos',
  memory: 'Memoria',
  routine: 'Trabajos y playbooks',
  model: 'Habilidades y modelo',
  here: 'Este chat',
  more: '**Más**: {names}',
  all: '/help all muestra todos los comandos.',
  statusButton: '¿Qué estás haciendo?',
  tasksButton: 'Mis tareas',
  planButton: 'El plan',
  newButton: 'Algo nuevo',
});

export const does = translate(english.does)({
  status: 'muestra lo que estoy haciendo',
  stop: 'detiene lo que estoy haciendo',
  plan: 'muestra los pasos',
  steer: 'cambia lo que estoy haciendo',
  followup: 'añade lo que viene después',
  new: 'empieza otra tarea',
  tasks: 'muestra tus tareas',
  open: 'continúa una aquí',
  artifacts: 'muestra los archivos de esta tarea',
  get: 'te envía uno',
  export: 'te envía toda la conversación',
  why: 'explica mi última respuesta',
  memory: 'muestra lo que recuerdo',
  compact: 'resume los mensajes antiguos',
  project: 'elige la carpeta en la que trabajo',
  jobs: 'muestra los trabajos programados',
  play: 'sigue un playbook',
  model: 'elige el modelo que contesta',
  think: 'fija cuánto tiempo pienso',
  skills: 'muestra mis habilidades y herramientas',
  use: 'elige qué viber contesta',
  live: 'fija lo que ves mientras trabajo',
  queue: 'fija qué pasa con los mensajes mientras trabajo',
  timezone: 'fija tu zona horaria',
  link: 'conecta tus otras cuentas',
  board: 'abre el panel en tu navegador',
});
