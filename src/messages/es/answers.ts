/** Texto que se añade a la respuesta del modelo o que la sustituye. */
import { translate } from '../arguments.ts';
import * as english from '../en/answers.ts';

export const answers = translate(english.answers)({
  unseen: 'No pude ver {name}: {why}',
  unseenFormat: 'es un archivo {format}, que el modelo no puede leer. Envíalo como JPEG o PNG, por favor.',
  unseenLarge: 'es demasiado grande. Envía uno más pequeño, por favor.',
  unseenLocked: 'está protegido con contraseña.',
  unseenPages:
    'tiene {n, plural, one {# página} other {# páginas}}, y el modelo mira 100 como máximo. Su texto sí se puede leer.',
  unseenEmpty: 'está vacío.',
  unseenMany: 'el modelo mira como máximo {n, plural, one {# imagen} other {# imágenes}} a la vez.',
  unseenRefused:
    'el modelo lo rechazó. Puede que esté dañado o que sea de un tipo que el modelo no lee; no lo volveré a enviar.',
  done: 'Hecho.',
  somethingToRemember: 'Hay algo que recordar.',
  planConflict: 'Alguien editó el plan mientras yo trabajaba, así que se queda esa versión:',
  planMine: 'Yo habría escrito:',
  unreadFiles:
    'Intenté adjuntar {n, plural, one {un archivo que no se pudo leer. Vuelve a pedírmelo} other {# archivos que no se pudieron leer. Vuelve a pedírmelos}}, por favor.',
  leftOutFiles:
    'Puedo adjuntar a una respuesta {most, plural, one {# archivo} other {# archivos}} de hasta 1 MB cada uno; {n, plural, one {falta uno más. Pídemelo} other {faltan # más. Pídemelos}} en un mensaje nuevo.',
  saidBy: 'Quién dijo qué:',
  moreSaid: 'y {n, plural, one {# respuesta más} other {# respuestas más}}',
  noWords: 'Hecho.',
  maxSteps:
    'Paré porque llegué a mi límite de pasos para una respuesta. Lo que hice hasta ahora se conserva. Escribe «sigue» para continuar.',
  cutLength:
    'La respuesta termina aquí porque llegó al límite de longitud del modelo. Escribe «sigue» para leer el resto.',
  stuck: 'Paré: algo salió mal tres veces de la misma manera cuando estaba {doing}. Dime qué debo hacer de otra forma.',
  withheld: 'El proveedor del modelo retuvo el resto de esta respuesta. Prueba a preguntarlo con otras palabras.',
});

/** Resultados de una búsqueda. */
export const search = translate(english.search)({
  sources: 'Fuentes:',
  ask: '¿Busco {query} en la web? {who} verá estas palabras.',
});
