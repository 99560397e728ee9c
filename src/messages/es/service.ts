/** Lo que dice `viber service`. */
import { translate } from '../arguments.ts';
import { service as english } from '../en/service.ts';

export const service = translate(english)({
  controlCharacter: 'La ruta {path} contiene un carácter de control.',
  none: 'No hay ningún servicio instalado para {home}. Para instalar uno: {command}',
  written: 'Escrito: {file}',
  failed: '{command} falló: {problem}',
  runs: 'El gateway funciona como servicio en {home}. Para mirarlo: {status} y {logs}.',
  other: 'Ya hay un servicio para {other}: {command} lo quita.',
  odd: '{names}: escribe este valor a mano en {file}.',
  unseen:
    'No ve las variables de esta shell: {names}. Escríbelas en {file} (modo 0600), una NOMBRE=valor por línea, o deja que lo haga {command}.',
  lingers: 'Sigue en marcha cuando cierras la sesión, y arranca con la máquina (lingering está activado para {user}).',
  ends: 'Termina cuando cierras la sesión. Para que siga en marcha: sudo loginctl enable-linger {user}',
  noLogs:
    'No hay ningún servicio instalado, así que no tiene registro. «{start}» lo escribe en tu terminal, e «{install}» instala el servicio.',
  noService: 'No hay ningún servicio instalado.',
  removed: 'Detenido y quitado: {file}. La carpeta de datos se queda.',
  unsupported:
    'Solo puedo instalar un servicio para systemd y launchd. Aquí, arranca el gateway como arranca otros programas este sistema.',
  nextLogin:
    'El archivo está en su sitio y se carga al próximo inicio de sesión. Para probarlo ya: launchctl bootstrap gui/$(id -u) {file}',
  noSystemd:
    'Esta máquina no tiene systemd, como la mayoría de los contenedores: haz que lo que arranca aquí otros programas ejecute {command}, o usa compose.yaml.',
  wsl: 'No se instaló nada: WSL no arranca systemd por defecto: escribe las líneas [boot] y systemd=true en /etc/wsl.conf, ejecuta wsl --shutdown en Windows, vuelve a abrir WSL e instálalo otra vez.',
  noSession:
    'No se instaló nada: los servicios de un usuario necesitan una sesión de ese usuario: inicia sesión con él (no con su), o define XDG_RUNTIME_DIR=/run/user/$(id -u), e instálalo otra vez.',
});
