/** Playbooks: seguir uno, y su progreso. */
import { translate } from '../arguments.ts';
import { playbooks as english } from '../en/playbooks.ts';

export const playbooks = translate(english)({
  notHere: 'Aquí no se pueden seguir playbooks.',
  membersOnly: 'Los playbooks son para las personas de este bot; pregunta a su propietario.',
  peopleOnly: 'Solo las personas de **{title}** pueden seguir algo en esa tarea; pídeselo a una de ellas.',
  needs: 'El playbook {name} necesita {what}: envía /play {name} {example}',
  otherOpen: 'Esta tarea no ha terminado el playbook {name}: /play lo continúa, /new empieza otra tarea.',
  ownPlan:
    'Esta tarea tiene su propio plan con pasos pendientes, que el playbook reemplazaría: envía /new y después /play {words} allí.',
  playing: 'Siguiendo **{title}**: {n, plural, one {# paso} other {# pasos}}. /plan muestra por dónde va.',
  playingLater:
    'Siguiendo **{title}**: {n, plural, one {# paso} other {# pasos}}. Empieza cuando termine lo que estoy haciendo. /plan muestra por dónde va.',
  unreadable: 'No entiendo «{words}»: da los valores como nombre=valor, o nombre="dos palabras".',
  notNeeded: 'Este playbook no necesita {name}; necesita {needs}.',
  needsNothing: 'Este playbook no necesita {name}; no necesita nada.',
  twice: '{name} aparece dos veces.',
  atWork: '**{title}**: estoy trabajando en esta tarea. /plan muestra por dónde va, /stop la detiene.',
  waits: '**{title}** espera tu respuesta a mi última pregunta aquí; /stop lo detiene.',
  goingOn: 'Continúo **{title}**: {done} de {total, plural, one {# paso} other {# pasos}} hechos.',
  unusable: '- {name}: no se puede usar: {problem}',
  listed: '- {name}: {goal}',
  listedNeeds: '- {name}: {goal} (necesita {needs})',
  more: '{n, plural, other {(y # más)}}',
  all: 'Los playbooks:',
  how: 'Sigue uno con /play y su nombre. Están en la carpeta playbooks/.',
  nothingOpen: 'Aquí no hay ningún playbook que continuar: /play los muestra.',
  doneAlready: 'El playbook **{title}** ya está hecho: /plan muestra sus pasos.',
  unticked:
    'Terminé **{title}** después de {n, plural, one {# paso} other {# pasos}}: alguien desmarca una y otra vez los pasos de su plan.',
  emptyPlan: 'El plan está vacío.',
  changing: 'El plan no deja de cambiar: inténtalo de nuevo cuando nadie lo esté editando.',
  noSuch: 'No encuentro ese playbook. Hay: {names}.',
  cannotUse: 'No se puede usar el playbook {name}: {problem}.',
  finished: '**{title}** está hecho: {n} de {n, plural, one {# paso} other {# pasos}}.',
  step: '{n}. ✓ {step}',
  stepByHand: '{n}. ✓ {step} (marcado a mano)',
  stepLeftOut: '{n}. – {step} (omitido)',
  stuck: '**{title}** se detuvo en el paso {n} de {total} ({step}): {why}',
  noAgent: 'No hay ningún agente llamado {name}, así que lo hice yo. Para añadir uno, crea {file}.',
  noAgents: 'No hay agentes llamados {names}, así que lo hice yo. Para añadirlos, crea archivos en agents/.',
});
