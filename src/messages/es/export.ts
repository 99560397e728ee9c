/** Una conversación en archivos para guardar. */
import { translate } from '../arguments.ts';
import { exported as english } from '../en/export.ts';

export const exported = translate(english)({
  done: 'Aquí está lo que se dijo en **{title}**, {n, plural, one {un mensaje} other {# mensajes}}: un archivo para leer y otro para programas.',
  cut: 'Era demasiado larga para un archivo, así que {n, plural, one {falta el mensaje más antiguo} other {faltan los # mensajes más antiguos}}.',
  hidden:
    '{n, plural, one {No incluye un mensaje que se dijo} other {No incluye # mensajes que se dijeron}} en privado en otro sitio.',
  alone: 'Solo lo recibes tú.',
  seen: 'Aquí lo puede leer todo el mundo; pídemelo en un mensaje directo para recibirlo solo tú.',
  nothing: 'Todavía no hay nada que exportar: aquí no se dijo nada.',
});
