/** Servidores de herramientas: los inicios de sesión en ellos, y el comando. */
import { translate } from '../arguments.ts';
import { mcp as english } from '../en/mcp.ts';

export const mcp = translate(english)({
  loginNeeded: 'El servidor {name} necesita un inicio de sesión. Un propietario puede enviar /mcp login {name}',
  moreNeeded:
    'El servidor {name} solo permite esto después de iniciar sesión otra vez, con más permisos: /mcp login {name}',
  away: 'Ahora mismo no puedo conectar con {name}. Inténtalo de nuevo en un momento.',
  noLoginNeeded: '{name} funciona sin iniciar sesión.',
  noRegistration:
    '{name} no deja que los programas se registren solos. Registra uno allí a mano y define mcp.{name}.oauth.clientId.',
  cantLogIn: 'No puedo iniciar sesión en {name}{why, select, empty {} other {: {why}}}',
  otherIssuer:
    'La respuesta no viene del servidor que nombra {name}, así que no la usé. Empieza otra vez con /mcp login {name}',
  refused: '{name} no permitió el inicio de sesión ({why}). Empieza otra vez con /mcp login {name}',
  noCode: 'Esa dirección no contiene ningún código de {name}. Empieza otra vez con /mcp login {name}',
  ownersOnly: 'Solo un propietario puede iniciar mi sesión en servidores.',
  directOnly: 'Envíame eso en un mensaje directo: solo tú debes ver el enlace.',
  none: 'Aquí no hay ningún servidor de herramientas. Añade uno en mi máquina: `{command}`',
  unknown:
    'No encuentro ningún servidor de herramientas {name}. {names, select, none {} other {Hay: {names}.}} Añade uno en mi máquina: `{command}`',
  noAddress: '{name} es un programa de mi máquina, así que no hay donde iniciar sesión.',
  hasKey: '{name} tiene una clave en sus ajustes (mcp.{name}.headers), así que no necesita iniciar sesión.',
  line: '- **{name}**: {state}',
  states:
    '{state, select, connected {conectado, {tools, plural, =0 {sin herramientas} one {una herramienta} other {# herramientas}}} connecting {conectando} failed {no disponible} other {todavía no hizo falta}}',
  needs: 'necesita un inicio de sesión: /mcp login {name}',
  link: 'Abre este enlace antes de diez minutos y permite el acceso a {name}:',
  comesBack: 'Si después el navegador termina en una página que no carga, copia su dirección y envíamela aquí.',
  goesOn: 'Te aviso aquí cuando esté hecho.',
  connected:
    'Estoy conectado a {name}: {tools, plural, =0 {no tiene herramientas} one {una herramienta} other {# herramientas}}.',
  gone: 'Ese inicio de sesión ya no está en marcha. Empieza otra vez con /mcp login NOMBRE',
  deleted: 'Borré tu mensaje con la dirección.',
  spent: 'La dirección de tu mensaje no se puede usar otra vez. Puedes borrarlo.',
  button: 'Iniciar sesión en {name}',
  page: 'Has iniciado sesión en {name}. Puedes cerrar esta página.',
  pageGone: 'Este enlace ya se usó, o tiene más de diez minutos. Pide uno nuevo.',
  pageFailed: 'El inicio de sesión falló. El chat dice por qué.',
});
