/** Detalles de una pregunta: dónde se ejecuta algo, a qué llega y cuándo. */
import { translate } from '../arguments.ts';
import { details as english } from '../en/details.ts';

export const details = translate(english)({
  taskFolder: 'una carpeta de esta tarea',
  sandboxed:
    'Trabaja en {where}, en un sandbox, {network, select, yes {con acceso a la red} other {sin red}}, y puede leer los archivos de esta tarea.',
  open: 'Trabaja en {where}, sin sandbox: puede leer y cambiar lo mismo que este gateway, y llega a la red.',
  skillFiles: 'Puede usar los archivos de la habilidad en {folder}.',
  program:
    'Trabaja en una carpeta de esta tarea, en un sandbox, {network, select, yes {con acceso a la red} other {sin red}}; puede leer los archivos de esta tarea y los de la habilidad en {folder}.',
  command:
    'Trabaja en {where}, en un sandbox, {network, select, yes {con acceso a la red} other {sin red}}, y puede leer los archivos de esta tarea; se detiene después de {seconds, plural, one {# segundo} other {# segundos}} si no dice otra cosa.',
  given: 'Recibe {names}.',
  address: '{host} ve esta dirección y todo lo que hay escrito en ella.',
  searches: '{who} ve estas palabras.',
  job: 'Lo haré {when}; el resultado va a {places}. Las próximas veces ({zone}):',
  here: 'esta conversación',
  jobMoved: 'Lo haré {when}. Las próximas veces ({zone}):',
  jobDeleted:
    'Esto borra el trabajo «{name}» ({id}), {made, select, hand {escrito a mano} other {creado en un chat}}: {when}.',
});
