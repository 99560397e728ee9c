/** Fallos. Solo los que un propietario debe mirar nombran el comando que muestra más. */
import { translate } from '../arguments.ts';
import * as english from '../en/failures.ts';

export const failures = translate(english.failures)({
  diskShort:
    'Mi disco está casi lleno: quedan {free} libres. Por debajo de {least} no acepto mensajes nuevos, así que haz sitio, por favor.',
  diskFull:
    'Mi disco está lleno: quedan {free} libres y necesito {least}. No acepto mensajes nuevos hasta que hagas sitio; los que se escriban hasta entonces no se pierden.',
  noRoomForWords:
    'Ya no queda sitio para nuestras conversaciones, así que no acepté este mensaje. Un propietario puede quitar tareas antiguas o subir el límite.',
  noRoom:
    'Los archivos de {name} llegaron a {size}, lo máximo que una persona puede guardar aquí, así que no acepto más.',
  withTrace: '{what} (para el propietario: {command})',
  notSetUp:
    'Algo no está bien configurado, así que ahora no puedo contestar. Mi propietario tiene que arreglarlo; inténtalo más tarde, por favor.',
  ownerNeeded: 'No pude contestar a {name}, y a los demás les pasa lo mismo hasta que se arregle. {what}',
  settings: 'Hay que cambiar los ajustes: {problem}.',
  content: 'El modelo {model} no puede leer este tipo de archivo: envíalo sin el archivo o pon otro modelo.',
  overloaded: 'El proveedor «{provider}» está muy ocupado ahora: inténtalo de nuevo en unos minutos.',
  model: 'El modelo {model} dio un error: inténtalo de nuevo o pon otro modelo.',
  brokeOff: 'El modelo {model} se cortó a mitad de su respuesta: pregunta otra vez, por favor.',
  unreadable: 'El modelo {model} no dio una respuesta legible: revisa {setting} o pregunta otra vez.',
  endless: 'El modelo {model} no termina nunca su respuesta: pide menos de una vez, por favor.',
  slowStart: 'El modelo {model} no empezó a contestar en {wait}: inténtalo de nuevo o pon otro modelo.',
  slow: 'El modelo {model} no envió nada durante {wait} a mitad de su respuesta: inténtalo de nuevo o pon otro modelo.',
  unreachable:
    'No se puede conectar con el proveedor «{provider}»: comprueba que está en marcha y que {setting} es correcto.',
  webPage:
    'La dirección del proveedor «{provider}» devolvió una página web y no la respuesta de un modelo: revisa {setting}, y si esta máquina tiene que iniciar sesión en su red o proxy.',
  noCredit: 'Ya no nos queda crédito en el proveedor «{provider}»: recárgalo o elige otro modelo con /model.',
  noCreditAt:
    'Ya no nos queda crédito en el proveedor «{provider}»: recárgalo en {where} o elige otro modelo con /model.',
  usedUp:
    'Hemos agotado lo que el proveedor «{provider}» permite por ahora: espera a que se renueve su límite o elige otro modelo con /model.',
  noKey:
    'Todavía no tengo clave de {provider}, así que no contesta ningún modelo: define {setting} y vuelve a arrancarme.',
  key: 'El proveedor «{provider}» no aceptó la clave: revisa {setting}.',
  limited: 'El proveedor «{provider}» está limitando nuestras peticiones: inténtalo de nuevo en un momento.',
  limitedFor: 'El proveedor «{provider}» está limitando nuestras peticiones: inténtalo de nuevo en {wait}.',
  seconds: '{n, plural, one {# segundo} other {# segundos}}',
  minutes: '{n, plural, one {# minuto} other {# minutos}}',
  hours: '{n, plural, one {# hora} other {# horas}}',
  inTrouble: 'El proveedor «{provider}» tiene problemas: inténtalo de nuevo en un momento.',
  elsewhere: 'El proveedor «{provider}» redirige a otra dirección: pon su dirección final en {setting}.',
  tooLong:
    'El proveedor «{provider}» no admite una conversación tan larga: continúa en una tarea nueva (/new) o pon un modelo más grande que {model}.',
  wrongAddress: 'El proveedor «{provider}» no tiene nada en {address}: cambia {setting} a {right}.',
  unknownModel: 'El proveedor «{provider}» no conoce el modelo «{model}»: revisa el ajuste model, y {setting}.',
  notPulled:
    'El modelo {model} no está en la máquina del proveedor «{provider}»: descárgalo allí con `ollama pull {model}` o elige otro con /model.',
  noTools: 'El modelo {model} no sabe usar herramientas, y las necesito para trabajar: elige otro con /model.',
  noMemory:
    'El modelo {model} necesita más memoria de la que tiene libre la máquina de su proveedor: elige uno más pequeño con /model.',
  place: 'El proveedor «{provider}» no atiende al país en el que está esta máquina: elige otro modelo con /model.',
  refused: 'El proveedor «{provider}» rechazó la petición: prueba a decirlo de otra forma o pon otro modelo.',
  onlyThoughts:
    'El modelo {model} gastó toda su respuesta en pensar y no dijo nada: pregunta otra vez o haz que piense menos (/think low).',
  emptyFrom: 'El modelo {model} dio una respuesta vacía: pregunta otra vez o dilo de otra forma, por favor.',
  noModel: 'Todavía no tengo un modelo con el que contestar: define model, por ejemplo como openai/gpt-5-mini.',
  tookMinutes: 'Trabajé en esto {n, plural, one {# minuto} other {# minutos}} y paré: pídemelo en partes más pequeñas.',
  tookSeconds:
    'Trabajé en esto {n, plural, one {# segundo} other {# segundos}} y paré: pídemelo en partes más pequeñas.',
  fallback: '{what} El modelo de respaldo ({models}) también falló.',
  interruptedWhile:
    'Me interrumpieron cuando estaba {doing}. Puede que se haya hecho o puede que no, así que compruébalo antes de seguir.',
  interrupted: 'Me interrumpieron antes de tener una respuesta.',
  toolFailed:
    'Algo salió mal cuando estaba {doing}, y no encontré otra manera: inténtalo de nuevo o dilo de otra forma.',
  noAnswer: 'Algo falló por mi parte antes de tener una respuesta: inténtalo de nuevo, por favor.',
  empty: 'La respuesta estaba vacía: pregunta otra vez o dilo de otra forma, por favor.',
  moreFiles: 'Más archivos: {names}',
  goneFiles:
    '{names} ya no {n, plural, one {está} other {están}} en la carpeta de esta tarea. Pídeme que {n, plural, one {lo} other {los}} haga otra vez.',
  newTask: 'Tarea nueva',
  givenUp:
    'No pude trabajar en tu mensaje: lo intenté {n, plural, one {una vez} other {# veces}} sin éxito. Prueba con otras palabras (para el propietario: {command}).',
  notTaken:
    'No pude aceptar tu mensaje. Está guardado; envíalo otra vez en un momento o empieza de nuevo con /new (para el propietario: {command}).',
  notTakenOwner:
    'No se pudo aceptar un mensaje en {place}: {reason}. Está guardado en spool/dead; {command} muestra más.',
  undelivered: 'No se pudo entregar un mensaje mío en {place}: {reason}. Está guardado en spool/dead.',
  uncertain: 'No sé si te llegó mi último mensaje. Si falta, envía /status.',
  tooMany: 'Fueron demasiados mensajes en un minuto; no acepté el último. Espera un momento y envíalo otra vez.',
  tooFast:
    'No acepté {n, plural, one {# mensaje, porque llegó demasiado rápido. Envíalo} other {# mensajes, porque llegaron demasiado rápido. Envíalos}} otra vez, por favor.',
  tooFastAfter:
    'No acepté {n, plural, one {# mensaje, porque llegó} other {# mensajes, porque llegaron}} demasiado rápido. El último que acepté fue «{text}»; envía otra vez lo que venía después, por favor.',
  queueFull:
    'No acepté este mensaje: {n, plural, one {ya espera uno} other {ya esperan #}}. Envíalo más tarde, o antes /stop.',
  buttonGone: 'Ese botón ya no funciona. {hint}',
  othersThread: 'Este hilo es de una tarea de otras personas; solo ellas pueden pasarlo a otra tarea.',
});

/** Mensajes de voz que no se pudieron transcribir. */
export const voice = translate(english.voice)({
  unsetOwner:
    'Todavía no puedo escuchar mensajes de voz. Define {keys}, o nombra un programa tuyo en voice.command, vuelve a arrancarme y envíalo una vez más. Guardé la grabación.',
  unset: 'Aquí todavía no puedo escuchar mensajes de voz. Escríbemelo, por favor.',
  busy: 'No pude escuchar tu mensaje de voz: el servicio de transcripción no contestó. Lo guardé; pulsa Reintentar en un momento, o escríbemelo.',
  keyOwner:
    'No pude escuchar tu mensaje de voz: {reason} Revisa {setting}, por favor. Lo guardé; pulsa Reintentar cuando esté arreglado.',
  key: 'No pude escuchar tu mensaje de voz: algo no está bien configurado. Escríbemelo, por favor.',
  unreadable:
    'No pude entender tu mensaje de voz: la grabación no se puede leer. Envíala otra vez o escríbemelo, por favor.',
  long: 'Tu mensaje de voz es demasiado largo para mí. Envíalo en partes más cortas o escríbemelo, por favor.',
  empty: 'No oí nada en tu mensaje de voz. Dilo otra vez o escríbemelo, por favor.',
  again: 'Vuelve a probar con mi mensaje de voz, por favor.',
});
