/** Textos propios de las plataformas: sobre archivos que no se incluyeron y en lugar de una respuesta. */
import { translate } from '../arguments.ts';
import { channels as english } from '../en/channels.ts';

export const channels = translate(english)({
  raiseHandles: 'sube el límite con ulimit -n, o con LimitNOFILE en el archivo del servicio',
  onIt: 'Voy a ello.',
  onItIn: 'Voy a ello: {place}',
  workingIn: 'Estoy con ello en <{link}|este hilo>.',
  refused: 'Lo siento, aquí no puedes pedirme eso; mi propietario puede permitirlo.',
  refusedPerhaps: 'Lo siento, no puedes pedirme eso, o no en este lugar; mi propietario puede permitirlo.',
  notBetweenOthers:
    'No formo parte de esta conversación, así que aquí no podrías leer mis respuestas. Escríbeme directamente.',
  notInChannel:
    'No estoy en este canal, así que no podrías leer mi respuesta. Invítame con {invite} e inténtalo de nuevo.',
  noLonger: 'Esto ya no funciona aquí; /help muestra lo que sí.',
  noLongerWrite: 'Esto ya no funciona aquí; escríbemelo con palabras.',
  notTaken: 'No pude aceptar esto. Inténtalo de nuevo en un momento, por favor.',
  uncertainRest: 'No sé si te llegó el resto de mi respuesta. Si falta, envía el comando otra vez.',
  uncertainAnswer: 'No sé si te llegó mi respuesta a tu último comando. Si falta, envía el comando otra vez.',
  moreChoices: 'Más opciones:',
  choose: 'Elige:',
  noText: '(sin texto)',
  barredRights:
    'No puedo escribir en este canal. Dale aquí a mi rol «Ver canal» y «Enviar mensajes», o usa otro canal; después repite el comando.',
  cannotAnswer: 'Leí «{words}», pero no puedo contestar donde lo escribiste: {why} Escríbeme aquí.',
  barredArchived: 'El canal está archivado.',
  barredReadOnly: 'No puedo publicar ahí.',
  barredLocked: 'El hilo está cerrado y no puedo escribir en hilos cerrados.',
  barredMuted: 'Me han silenciado ahí.',
  barredOut: 'Ya no soy miembro ahí.',
  barredRefused: 'Ahí rechazaron mi respuesta.',
  fileEmpty: 'Sin adjuntar: {file} está vacío.',
  fileTooLarge: 'Sin adjuntar: {file} ocupa {size}; {platform} acepta archivos de hasta {max}.',
  notAttached: 'No pude adjuntar {files} aquí: {why}',
  andMore: '{files} y {n, number} más',
  rights:
    'No puedo enviar archivos en este lugar. {n, plural, one {Pídelo} other {Pídelos}} en un chat privado con {get}.',
  rightsTelegram:
    'este chat no me deja enviar archivos. {n, plural, one {Pídelo} other {Pídelos}} en un chat privado con {get}, o permite los archivos en los permisos de este chat.',
  rightsDiscord:
    'me falta el permiso «Adjuntar archivos» en este canal. {n, plural, one {Pídelo} other {Pídelos}} en un mensaje directo con {get}, o dale aquí ese permiso a mi rol.',
  rightsSlack:
    'no puedo compartir archivos en este canal. {n, plural, one {Pídelo} other {Pídelos}} en un mensaje directo con {get}, o invítame con {invite}.',
  scope: 'No puedo enviar archivos en {platform}. Cuando pueda, {n, plural, one {pídelo} other {pídelos}} con {get}.',
  scopeSlack:
    'a la aplicación le falta el permiso {scope}. Cuando lo tenga y esté instalada otra vez, {n, plural, one {pídelo} other {pídelos}} con {get}.',
  policy: '{platform} no acepta archivos aquí. Cuando los acepte, {n, plural, one {pídelo} other {pídelos}} con {get}.',
  policySlack:
    'este espacio de trabajo no deja que las aplicaciones compartan archivos. Cuando un administrador lo permita, {n, plural, one {pídelo} other {pídelos}} con {get}.',
  size: 'es más de lo que acepta {platform}. Pídeme que {n, plural, one {lo} other {los}} haga más {n, plural, one {pequeño} other {pequeños}}, o que envíe partes.',
  gone: 'Ya no {n, plural, one {lo} other {los}} puedo leer. Pídeme que {n, plural, one {lo} other {los}} haga otra vez.',
  file: '{platform} no {n, plural, one {lo} other {los}} aceptó. Prueba con {get}, o pídeme otro formato.',
  promptPlan: 'Hacer un plan',
  promptPlanSays: 'Ayúdame a hacer un plan. Pregúntame para qué es.',
  promptWrite: 'Escribir algo',
  promptWriteSays: 'Ayúdame a escribir un texto. Pregúntame de qué trata y para quién es.',
  promptCan: '¿Qué sabes hacer?',
  promptCanSays: '¿Qué puedes hacer por mí? Dame tres ejemplos.',
});
