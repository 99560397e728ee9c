/** Lo que dicen `viber backup` y `viber restore`. */
import { translate } from '../arguments.ts';
import { backup as english } from '../en/backup.ts';

export const backup = translate(english)({
  holds:
    '{files, plural, one {{target} contiene un archivo ({size} MB).} other {{target} contiene # archivos ({size} MB).}} Comprobé que se puede volver a leer. Solo tú puedes leerlo.',
  keepSafe:
    '{secrets, select, yes {Contiene conversaciones, memoria y secretos sin cifrar: guárdalo en un lugar seguro.} other {Contiene conversaciones y memoria sin cifrar: guárdalo en un lugar seguro.}}',
  leftSecret: 'Secretos que no se incluyeron (--with-secrets los incluye): {names}.',
  variables: 'En lugar de secretos, la configuración incluida nombra estas variables: {names}.',
  leftLinks: 'No se incluyó, porque los enlaces y los sockets no se pueden copiar: {names}.',
  leftNames: 'No se incluyó, porque ninguna restauración acepta un nombre así: {names}.',
  leftUnread: 'No se incluyó, porque no se puede leer: {names}.',
  shrunk: 'Estos archivos se acortaron mientras se copiaban, así que revísalos después de restaurar: {names}.',
  onServer:
    'No está en la copia: lo que está en curso y lo que llegó en los últimos días. Eso está en el servidor de {address} ({now}).',
  onServerNow:
    'ahora: {messages, plural, one {un mensaje} other {# mensajes}}{answers, plural, one { y una respuesta} other { y # respuestas}}',
  copyServer:
    'Copia también la carpeta append-only de ese servidor, o una instantánea de su disco: docs/several-machines.md, «Backup».',
  interrupted:
    'Hay una restauración en {target} en marcha o interrumpida; la carpeta de datos sigue como estaba. Vuelve a ejecutar {command}, o borra {file} para continuar sin ella.',
  unreadableRecord:
    'Se interrumpió una restauración en {target} y no puedo leer {file}. Borra ese archivo y vuelve a restaurar.',
  filledMeanwhile: '{folder} estaba vacía y ya no lo está. Muévela a otro sitio y empieza de nuevo.',
  noHome: 'No hay ninguna carpeta de datos en {home}.',
  exists: '{target} ya existe. Elige otro nombre.',
  noFolder: 'No existe la carpeta {folder}.',
  inside: '{target} está dentro de la carpeta de datos. Elige un archivo fuera de ella.',
  andMore: '{n, plural, one {{names} y uno más} other {{names} y # más}}',
  readsBadly: 'La copia no se puede leer tal como se escribió, así que la borré. Revisa el disco e inténtalo de nuevo.',
  broken: 'Esto no es una copia de seguridad de viber, o está dañada: {why}.',
  notOurs: 'Esto no es una copia de seguridad de viber.',
  otherVersion: 'Esta copia se hizo con otra versión de viber; esta no puede leerla.',
  tooLarge: 'La copia es más grande que el espacio libre del disco. No se restauró nada.',
  noFile: 'No existe el archivo {file}.',
  notEmpty: '{target} no está vacía. --replace aparta lo que hay; o elige otra con --home.',
  ownDisk: '{target} es un disco aparte y no se puede reemplazar: restaura en una carpeta suya, con --home.',
  restored:
    '{files, plural, one {Se restauró la copia del {at} (de viber {version}) en {target}: un archivo.} other {Se restauró la copia del {at} (de viber {version}) en {target}: # archivos.}}',
  leftOut: 'No se incluyó, porque no se puede restaurar aquí: {names}.',
  aside: 'La carpeta de datos anterior está en {aside}. Bórrala cuando ya no la necesites.',
  noSecrets: 'La copia no contiene secretos: si usas tokens o claves, ponlos de nuevo y después ejecuta {command}.',
  asksFor: 'La configuración necesita estas variables: {names}.',
  wasOnServer:
    'Lo que estaba en curso entonces estaba en un servidor (engine.url), no en la copia. Se contestará si ese servidor todavía lo tiene.',
  finishes: 'Después del próximo arranque termino los mensajes y las respuestas que estaban en curso entonces.',
});
