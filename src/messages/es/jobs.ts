/** Trabajos programados: la lista, uno solo y los avisos a su dueño. */
import { translate } from '../arguments.ts';
import { jobs as english } from '../en/jobs.ts';

export const jobs = translate(english)({
  run: 'Ejecutar {name}',
  pause: 'Pausar',
  resume: 'Reanudar {name}',
  show: 'Ver {name}',
  delete: 'Borrar',
  paused: '(en pausa)',
  broken: '(averiado)',
  done: '(terminado)',
  next: 'siguiente {when}',
  lastRun: 'Última vez: {state} (tarea `{task}`).',
  neverRun: 'Todavía no lo he hecho.',
  goesTo: 'Su resultado va a {places}.',
  goesNowhere: 'Su resultado no se envía a nadie. Para recibirlo en un chat, pon `deliver` en su archivo.',
  madeBy: 'Creado por `{who}`.',
  nextTimes: 'Próximas veces ({zone}):',
  notUnderstood: '«{text}» no es un horario que yo entienda: {reason}. Escríbelo en inglés, por ejemplo «{example}».',
  notSchedule: '«{text}» no es un horario que yo entienda. Escríbelo en inglés, por ejemplo «{example}».',
  or: '{before}» o «{next}',
  tooOften:
    'Eso es demasiado a menudo: un trabajo creado en un chat puede ejecutarse cada {n, plural, one {minuto} other {# minutos}} como mucho (jobs.minMinutes).',
  nameTaken: 'Ya hay un trabajo «{name}»; bórralo primero o elige otro nombre.',
  noneOffline:
    'No hay trabajos programados. Con un modelo de lenguaje (`{init}` pide uno) puedes pedírmelos; hasta entonces, añade uno con `{add} --at "every weekday at 9" --prompt "¿Qué hay de nuevo?"`',
  none: 'No hay trabajos programados. Pídeme, por ejemplo: de lunes a viernes a las 9, envíame aquí un resumen.',
  runsNow: 'Ejecutando **{name}** ahora.',
  pausedNow: 'En pausa: **{name}**. Para reanudarlo, envía /jobs resume y su nombre.',
  reallyDelete: '¿Borro **{name}** para siempre?',
  yesDelete: 'Sí, borrarlo',
  deleted: 'Borrado: **{name}**.',
  notHere: 'Aquí no hay trabajos programados; el registro del gateway puede decir por qué.',
  which: '¿Cuál? Escribe /jobs {verb} y el nombre; /jobs los muestra.',
  goesOn: 'Esto es **{title}**, con sus archivos. ¿Qué quieres saber?',
  asks: 'El trabajo **{name}** pregunta (tarea `{task}`; ábrela aquí para contestar con palabras):',
  asksSeveral:
    'El trabajo **{name}** pregunta (tarea `{task}`; ábrela aquí para contestar con palabras; cuenta la primera respuesta):',
  maxSteps:
    'El trabajo {name} necesitó más pasos de los que puede dar (maxSteps). Guardé y envié el resultado sin terminar. Sube maxSteps en su archivo o pide menos.',
  unsent: 'No se pudo enviar a {place} el resultado del trabajo {name}: {why}',
  away: 'No se pudo conectar con la plataforma durante un día.',
  refused: 'La plataforma lo rechazó.',
  failed:
    'El trabajo {name} falló.{why} Lo intentaré otra vez en sus próximas horas, con pausas cada vez más largas; /jobs lo muestra.',
  failedForGood: 'El trabajo {name} falló.{why} No se ejecutará más; pídemelo otra vez si todavía importa.',
  missed: 'El trabajo {name} tocaba {due} ({zone}), y entonces no pude hacerlo. /jobs run lo hace ahora.',
  missedAsked:
    'El trabajo {name} tocaba {due} ({zone}), y entonces no pude hacerlo. Pídemelo otra vez si todavía importa.',
  withoutRights:
    'Ya no ejecuto el trabajo {name}: {who}, que lo creó, ya no es propietario. Bórralo con /jobs, o haz que un propietario lo pida de nuevo.',
  stopped:
    '{n, plural, one {Un trabajo se ha parado, porque esta versión no puede leer su archivo} other {# trabajos se han parado, porque esta versión no puede leer sus archivos}}: {names}. /jobs muestra qué hay que cambiar.',
  names: 'Hay algo mal en el trabajo {name}. {what}',
  manyUnknown:
    '{n, plural, one {Un trabajo nombra} other {# trabajos nombran}} un viber, modelo, habilidad o herramienta que no existe. /jobs muestra cuáles.',
  both: '{before} {after}',
  near: ' (¿querías decir {near}?)',
  noViber: 'No existe el viber {name}{near}, así que no lo ejecutaré hasta que lo haya.',
  noProvider: 'No existe el proveedor {name} para su modelo {model}{near}, así que no lo ejecutaré hasta que lo haya.',
  badModel: 'No se puede usar su modelo {name}, así que no lo ejecutaré: {why}.',
  noSkill: 'No existe la habilidad {name}{near}; lo ejecutaré sin ella.',
  noTool: 'No existe la herramienta {name}{near}; lo ejecutaré sin ella.',
  offSkill: 'La habilidad {name} está desactivada (skills.{name}); lo ejecutaré sin ella.',
  unknownMore:
    '{n, plural, one {Un nombre más de su archivo es desconocido.} other {# nombres más de su archivo son desconocidos.}}',
  ownersOnly: 'Solo un propietario puede cambiar los trabajos programados.',
  unknown: 'No existe el trabajo {name}; /jobs los muestra.',
  several: 'Varios trabajos tienen ese nombre: {names}. Usa uno de estos ID.',
  pausedAlready: 'El trabajo {name} ya está en pausa.',
  notPaused: 'El trabajo {name} no está en pausa.',
  offInFile: 'El trabajo {name} está desactivado en su archivo: pon "enabled: true" en {file}.',
  folderLocked:
    'No se puede escribir en la carpeta de los trabajos ({code}): cambia sus permisos e inténtalo de nuevo.',
  fileThere: 'El archivo {file} ya existe; borra uno de los dos.',
  unreadable: 'No se puede leer el trabajo {name}; corrige primero su archivo.',
  notOn: 'El trabajo {name} está en pausa o su archivo tiene un error; /jobs dice cuál.',
  underWay: '{name} ya se está ejecutando.',
  sayWhere:
    'Desde aquí solo puedo contestar, no escribirte primero. Dime adónde debe ir, por ejemplo telegram:1001. Para conectar un chat, ejecuta `{command}` en mi máquina.',
  tooMany:
    '{n, plural, one {Ya hay un trabajo creado} other {Ya hay # trabajos creados}} en chats (jobs.max); borra antes uno con /jobs.',
});
