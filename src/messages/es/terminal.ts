/** Textos propios de la terminal. */
import { translate } from '../arguments.ts';
import { terminal as english } from '../en/terminal.ts';

export const terminal = translate(english)({
  greeting: 'Hola, soy tu viber. Escribe /help para ver qué sé hacer; exit o Ctrl-D sale.',
  moment: 'Un momento …',
  again: 'Pulsa Ctrl-C otra vez para salir.',
  stopping: 'Deteniendo … Pulsa Ctrl-C otra vez para salir.',
  noButton: 'No hay ningún botón {n}.',
  decided: 'Eso ya está decidido, así que {n} no hace nada ahora.',
  olderButton:
    '¿Te refieres al botón «{label}» de más arriba? Púlsalo con !{n}. Si te refieres al número {n}, añade una palabra.',
  notTaken: 'Esto no se aceptó: {why}',
  pasted: '[texto pegado {n}: {lines, plural, one {una línea} other {{lines, number} líneas}}]',
  moreLines: '… y {n, plural, one {una línea más} other {{n, number} líneas más}}',
  moreChoices: '… y {n, number} más',
  searching: 'Lo que escribiste antes, con: {part} (Ctrl-R: más atrás, Esc: salir)',
  notFound: 'Nada de lo que escribiste antes contiene: {part} (Esc: salir)',
  noInput:
    'Aquí no hay entrada, así que sigo sin esta terminal. Para hablar conmigo, ejecuta «{chat}» o «{board}». Para detenerme, pulsa Ctrl-C o envía SIGTERM.',
  stillWorking: 'Todavía estoy trabajando en esto. La respuesta llega cuando esté, o después del próximo arranque.',
  unanswered: 'Todavía espera tu respuesta:',
  lost: 'Me han detenido. Lo que escribiste se conserva y se contesta después del próximo arranque.',
});
