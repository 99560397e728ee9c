/** Proyectos: carpetas de esta máquina en las que trabaja un viber. */
import { translate } from '../arguments.ts';
import { projects as english } from '../en/projects.ts';

export const projects = translate(english)({
  notFolder: 'no es una carpeta',
  noFolder: 'esa carpeta no existe',
  cantOpen: 'no se puede abrir',
  holdsOwn: '{why}',
  moved: '{name} ya no está ahí, o ahora es un enlace',
  notAllowed: '{name} no está en ninguna de las carpetas permitidas',
  now: 'Esta tarea trabaja en **{name}** ({folder}).',
  none: 'Esta tarea no trabaja en ningún proyecto.',
  cant: 'No puedo usar el proyecto de esta tarea: {why}.',
  list: 'Tus proyectos: {names}. Elige uno con /project NOMBRE, o nómbralo cuando me digas qué hacer.',
  more: '{names} y {n, plural, one {uno más} other {# más}}',
  empty: 'No encontré proyectos en las carpetas permitidas: {folders}.',
  notSetUp: 'Todavía no se permite ninguna carpeta con proyectos. Permite una en mi máquina: `{command}`',
  set: 'Esta tarea trabaja ahora en **{name}** ({folder}). Puedo leer y cambiar sus archivos.',
  left: 'Esta tarea ya no trabaja en ningún proyecto.',
  unknown: 'No encuentro ningún proyecto «{name}». /project los muestra.',
  nearly: 'No encuentro ningún proyecto «{name}». ¿Querías decir {near}?',
  several: 'Hay varios proyectos «{name}»: {folders}. Elige uno por su ruta.',
  setNext: 'La próxima tarea de aquí trabaja en **{name}** ({folder}). ¿Qué hago ahí?',
  next: 'La próxima tarea de aquí trabaja en **{name}** ({folder}).',
  leftNext: 'La próxima tarea de aquí no trabaja en ningún proyecto.',
  peopleOnly: 'Solo los propietarios, y las personas de projects.people, pueden trabajar en proyectos.',
  directOnly:
    'Solo trabajo en proyectos en mensajes directos, si un propietario no añade este lugar a projects.groups.',
  noRepository: '{name} no es un repositorio de git, y cada tarea de esta carpeta necesita su propio worktree',
  worktreeFailed: 'no se puede crear su worktree para esta tarea: {why}',
  worktreeChanged:
    'su worktree para esta tarea, {folder}, se cambió o se reemplazó. Muévelo a otro sitio y lo vuelvo a crear desde su rama',
  cantChoose: 'No puedo trabajar ahí: {why}.',
  worktree: 'Tiene su propio worktree: {folder}, en la rama {branch}.',
  leftWorktrees: 'Worktrees de tareas borradas que se quedan mientras pudiera perderse algo suyo: {folders}.',
  processes: '- en segundo plano: {what}',
});
