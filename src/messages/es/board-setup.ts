/** Lo que dice el panel mientras un propietario configura el gateway. */
import { translate } from '../arguments.ts';
import { boardSetup as english } from '../en/board-setup.ts';

export const boardSetup = translate(english)({
  conflict: 'Mientras tanto, los ajustes se cambiaron en otro sitio. Revísalos y repite tu cambio.',
  oldLogin:
    'Para esto hace falta una sesión iniciada en {minutes, plural, one {el último minuto} other {los últimos # minutos}} con un enlace de la propia máquina. Ejecuta {command} allí, abre su enlace e inténtalo de nuevo.',
  atMachine: '{name} no se puede cambiar en un navegador. {how}',
  inFile: 'Edita la configuración en la máquina.',
  byCommand: 'Ejecuta esto en la máquina: {command}',
  noReference: 'aquí no se puede hacer referencia a una variable',
  setOutside:
    '{name} está definida en el entorno del gateway, que tiene prioridad. Cámbiala allí, o quítala e inténtalo de nuevo.',
  told: '{name} cambió la configuración en el panel: {settings}. Si no conoces a esa persona, ejecuta `{command}` en mi máquina, cierra esa sesión y revisa config.yaml.',
  serverTaken: 'Ya hay un servidor {name}. Quítalo primero o elige otro nombre.',
  noFolder: 'una carpeta de la máquina se añade en la máquina, con {command}',
  manyBackups:
    'Ya hay {n, plural, one {# copia de seguridad} other {# copias de seguridad}} en {folder}. Quita antes las antiguas.',
  newKey: 'pega la clave de esta dirección; la que tengo es de otra',
  noCard: 'Ahora mismo no puedo pedirle su enlace a {name}. Inténtalo de nuevo en un momento.',
  noCommand: 'Esto funciona mientras me ejecuto con {command}.',
  noRestart: 'Aquí nada volvería a arrancarme. Reiníciame donde me arrancaste.',
  restarting: 'Ya me estoy reiniciando.',
  pushAddress:
    'No puedo enviar notificaciones ahí: un servicio push tiene una dirección https pública o figura en `push.services`.',
  pushTooMany:
    'Ya recibes notificaciones en {n, plural, one {# navegador} other {# navegadores}}. Cierra en Personas una sesión que ya no uses.',
  pushRefused: 'El servicio push de este navegador rechaza las notificaciones: {reason}',
  pushLater:
    'Ahora mismo no puedo conectar con el servicio push de este navegador ({reason}). Inténtalo de nuevo en un minuto.',
  pushUnsure:
    '{n, plural, one {Puede que no haya llegado una notificación} other {Puede que no hayan llegado # notificaciones}}: me interrumpieron mientras enviaba. Mira qué te espera.',
  pushGone: 'Este navegador ha dejado de recibir notificaciones. Desactívalas y vuelve a activarlas.',
  pushTest: 'Las notificaciones funcionan.',
  pushQuestion: 'Te espera una pregunta',
  pushQuestions: '{n, plural, one {Te espera # pregunta} other {Te esperan # preguntas}}',
  pushDone: 'Listo',
  pushFailed: 'Ha fallado una tarea',
  pushMore: 'y {n, plural, one {# más} other {# más}}',
  pushNothing: 'No queda nada por hacer.',
});
