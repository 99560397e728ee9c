/** Los pasos de una tarea, y en qué quedaron. */
import { translate } from '../arguments.ts';
import { plans as english } from '../en/plans.ts';

export const plans = translate(english)({
  none: 'Esta tarea todavía no tiene plan. Pídeme que haga uno; /tasks muestra tus otras tareas.',
  changed: 'El plan ha cambiado; este es el actual.',
  gone: 'El paso {n} ya no está en el plan como estaba; este es el actual.',
  skipped: '~~{step}~~ (omitido)',
  more: 'y {n, number} más',
  now: '{done} de {total} hechos. Ahora: {step}',
  next: '{done} de {total} hechos. Siguiente: {step}',
  allDone: 'Todo hecho.',
  done: '{n} hecho',
  skip: 'Omitir {n}',
  drop: 'Quitar {n}',
  peopleOnly: 'Solo las personas de **{title}** pueden cambiar su plan; pídeselo a una de ellas.',
  noStep: 'No hay ningún paso {n}.',
  added: 'Añadido.',
  made: 'Plan: {n, plural, one {# paso} other {# pasos}}, siguiente: {step}',
  changedLine: 'Plan: {changes}',
  apply: 'Aplicar',
  keep: 'Quedarme con el mío',
  applied: 'El plan queda como propuse.',
  kept: 'El plan queda como está.',
  proposalGone: 'Esa propuesta ya no está; este es el plan.',
  edited: 'Editaste el plan de **{title}** en un archivo; ahora sigo ese.',
  editTook: 'Editaste el plan de **{title}** en un archivo; ahora sigo ese. La versión anterior se guarda como {file}.',
  editMerged:
    'Guardaste el plan de **{title}** desde un editor que mostraba una versión anterior. Combiné tu cambio con lo que ha pasado desde entonces.',
  editAside:
    'No sé de qué tarea es el plan que guardaste en task.md, así que no cambié ninguno. Se guarda como {file}.',
});
