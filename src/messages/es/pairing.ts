/** El primer contacto, dar acceso a personas, y una persona con varias cuentas. */
import { translate } from '../arguments.ts';
import * as english from '../en/pairing.ts';

export const pairing = translate(english.pairing)({
  asksIn: '{name} ({channel}) pide acceso. El código es {code}.',
  approve: 'Aprobar',
  approveName: 'Aprobar a {name}',
  deny: 'Rechazar',
  mayWrite: '{name} ya puede escribirme ({identity}, {role}).',
  notLetIn: '{name} no tiene acceso.',
  nobodyAsks: 'Nadie pide acceso.',
  noSuchCode:
    'Nadie pide acceso con el código {code}. Un código vale una hora; un mensaje nuevo al bot da otro código.',
  waiting: '- {name} ({identity}), código {code}',
  unknownCode: 'No conozco este código. Pide uno nuevo con /link en tu otra cuenta.',
  expiredCode: 'Este código tiene más de 10 minutos. Pide uno nuevo con /link en tu otra cuenta.',
  ownCode: 'Este código es el tuyo. Escríbelo en tu otra cuenta, en un mensaje directo para mí.',
  takenCode:
    'Esta cuenta no puede unirse a la que mostró el código: ya es de alguien, o tiene más permisos. Envía /link aquí y escribe en la otra cuenta lo que te conteste.',
  tooManyTries: 'Fueron demasiados códigos equivocados. Inténtalo de nuevo dentro de una hora.',
  notLetInYet:
    'Este código une cuentas que ya pueden escribirme, y esta todavía no puede. Pide al propietario que le dé acceso.',
  linked:
    'Hecho: aquí ya eres {person}, igual que en {identity}, con las mismas tareas, archivos y permisos. Lo que estábamos haciendo allí sigue aquí. /link list muestra tus cuentas.',
  codeUsed:
    '{identity} ({name}) usó tu código y desde ahora actúa como tú. Si no has sido tú, envía `/link remove {identity}` enseguida.',
  cannotLink: 'Ahora mismo no se puede enlazar esta cuenta; díselo al propietario de este bot.',
  directOnly: 'Las cuentas solo se enlazan en un mensaje directo para mí; un código que se escribió aquí ya no vale.',
  yourCode:
    'Tu código es **{code}**. Quien lo escriba actúa como tú, así que escríbelo tú, con tu otra cuenta, solo en un mensaje directo para mí. Vale una vez, durante 10 minutos.',
  noChats:
    'Todavía no hay ningún chat conectado, así que no hay otra cuenta que enlazar. Para conectar uno, ejecuta `{command}` en mi máquina y envía /link otra vez.',
  enterOn: '- en {channel}: `{command}`',
  yourAccounts: 'Tus cuentas:',
  thisAccount: 'esta cuenta',
  linkedOn: 'enlazada el {date}',
  ofOthers: 'De otras personas:',
  linkHow: '/link muestra un código para otra cuenta; /link remove y una cuenta la quita.',
  whichAccount: '¿Cuál? /link list muestra tus cuentas.',
  unlinked: '{account} vuelve a ir por su cuenta: ya no ve lo que haces aquí.',
  byConfiguration: '{account} no se enlazó con un código: la nombra el ajuste `people` de la configuración.',
  tooManyCodes: 'Hay demasiados códigos de enlace pendientes. Pide otro dentro de diez minutos.',
  tooManyAccounts: 'No se pueden enlazar más cuentas. `/link list` muestra cuáles se pueden quitar.',
  linkedTo: '{account} es la cuenta a la que se enlazaron las demás; quita las otras: {names}.',
  noSuchAccount: 'No encuentro ninguna cuenta {account} enlazada contigo. /link list las muestra.',
});

/** Las primeras palabras con alguien: antes de tener acceso y justo después. */
export const contact = translate(english.contact)({
  nobodys:
    '¡Hola! Todavía no tengo propietario. Si eres tú, ejecuta esto en mi máquina:\n\n```\n{command}\n```\n\nDespués contestaré lo que escribiste aquí. El código vale una hora.',
  lost: '¡Hola! He perdido la lista de quién puede escribirme. Si eres mi propietario, ejecuta esto en mi máquina:\n\n```\n{command}\n```\n\nDespués contestaré lo que escribiste aquí. El código vale una hora.',
  stranger:
    '¡Hola! Todavía no te conozco. Mi propietario puede darte acceso con este código:\n\n```\n{code}\n```\n\nVale una hora, y contestaré lo que escribiste en cuanto tengas acceso. Si ya hablas conmigo en otro sitio, usa allí el comando «link» y después aquí con el código que muestre.',
  owner:
    'Ya tienes acceso{comma}{name}, y soy tu viber. {isWritten, select, yes {Estoy mirando lo que escribiste.} other {Escríbeme como a alguien de tu equipo; /help muestra lo que sé hacer.}}',
  in: 'Ya tienes acceso{comma}{name}. {isWritten, select, yes {Estoy mirando lo que escribiste.} other {Escríbeme como a alguien de tu equipo; /help muestra lo que sé hacer.}}',
});
