/** Lo que encuentra `viber doctor`, una frase por cosa. */
import { translate } from '../arguments.ts';
import { doctor as english } from '../en/doctor.ts';

export const doctor = translate(english)({
  small:
    '{model} es el modelo pequeño integrado, que entiende unas pocas peticiones fijas; {command} conecta uno de verdad',
  late: 'sin respuesta en {n, plural, one {# segundo} other {# segundos}}',
  tempFile: 'TMPDIR nombra {folder}, que no es una carpeta: cámbialo',
  tempUnusable: 'TMPDIR: no se puede usar la carpeta de archivos temporales, {folder}: {why}; créala o nombra otra',
  homeWritable: 'se puede escribir en {home}',
  homeLater: '{home} todavía no existe; se crea al arrancar',
  free: '{space} libres',
  tooLittle: '{space} libres, menos que limits.freeBytes ({least}): no se acepta ningún mensaje nuevo',
  homeUnwritable: 'no se puede escribir en {home}: {why}; elige otra con --home u OPENVIBER_HOME',
  folderUnwritable: 'este usuario no puede escribir en {folder}: usa chown',
  folderOpen: 'otros pueden ver {folder}: usa chmod 700',
  fileOpen: 'otros pueden leer {file}: usa chmod 600',
  tooFewHandles:
    '{tooLow, select, yes {el límite de archivos y sockets abiertos es {limit}, y para funcionar necesita {needs}: {how}} other {el límite de archivos y sockets abiertos es {limit}, y con todas las ejecuciones en marcha necesita hasta {needs}: {how}}}',
  pictures: '{model} dibuja imágenes cuando se lo piden',
  noPictures: '{provider} no dibuja imágenes; nombra openai, google o un punto de acceso de providers',
  noPictureKey: 'no hay clave para dibujar imágenes',
  projects:
    '{folder} contiene {n, plural, =0 {cero proyectos} one {un proyecto} other {# proyectos}}; los comandos de ahí {network, select, registries {llegan a los registros de paquetes} all {llegan a la internet pública} other {no tienen red}}',
  commands: 'los comandos se ejecutan en el sandbox y encuentran {tools}',
  commandsAsk: 'sin sandbox, se pregunta a una persona antes de cada comando; encuentran {tools}',
  noGateway: 'ahora no funciona ninguno en esta máquina',
  gateway: 'el proceso {pid} {roles}; su bloqueo y su socket están en {folder}',
  gatewayPort: 'el proceso {pid} en el puerto {port} {roles}; su bloqueo y su socket están en {folder}',
  answers: '{name} contesta',
  noAnswer: '{name} no contesta: {why}',
  otherAddress: '{name} no contesta en {given}, pero sí en {right}: pon {right}',
  noV1: '{name} no contesta en {given}, pero sí en {right}: falta /v1, pon {right}',
  defaults: 'valores por defecto y entorno',
  setting: '{path}: {what}',
  dm: '{dm, select, pairing {las personas de people o access.allow, y las admitidas con un código} allowlist {las personas de people o access.allow} open {todo el mundo} other {nadie}}',
  when: '{groups, select, mention {cuando lo mencionan} all {todos los mensajes} other {nunca}}',
  serverAll: 'todo el servidor {id} ({when})',
  everyServer: 'todos los canales de los demás servidores ({when})',
  everyGroup: 'todos los grupos a los que se añadió ({when})',
  inChats: 'en {chats} ({when})',
  nowhere: 'en ninguna parte',
  door: 'contesta en mensajes directos a: {dm}; en grupos: {places}',
  openDm:
    '{key}.dm es open: todo el mundo en {name} puede gastar el dinero de tu modelo; quien no está en ninguna lista no ve la memoria ni los archivos del espacio de trabajo',
  openServer:
    '{all, select, yes {{key} incluye el servidor {id}: quien escribe en cualquiera de sus canales puede gastar el dinero de tu modelo; quien no está en ninguna lista no ve la memoria ni los archivos del espacio de trabajo} other {{key} incluye el servidor {id}: quien lo menciona en cualquiera de sus canales puede gastar el dinero de tu modelo; quien no está en ninguna lista no ve la memoria ni los archivos del espacio de trabajo}}',
  openGroups:
    '{all, select, yes {{key}.chats contiene "*": quien lo añade a un grupo abre ese grupo; quien escribe ahí puede gastar el dinero de tu modelo; quien no está en ninguna lista no ve la memoria ni los archivos del espacio de trabajo} other {{key}.chats contiene "*": quien lo añade a un grupo abre ese grupo; quien lo menciona ahí puede gastar el dinero de tu modelo; quien no está en ninguna lista no ve la memoria ni los archivos del espacio de trabajo}}',
  everyMessage: '{key}.groups es all: cada mensaje en {where} se contesta y cuesta una llamada al modelo',
  anyGroup: 'cualquier grupo',
  groupMemory: '{key}.memory es group: quien lee ahí puede leer lo que viene de MEMORY.md, USER.md y los diarios',
  nobodyListed: '{key}.allow está vacío y people no incluye a nadie en {name}: no se contesta ningún mensaje directo',
  noChats: '{key}.chats está vacío: solo contesta en mensajes directos',
  noServers: '{servers} y {key}.chats están vacíos: solo contesta en mensajes directos',
  lookUp:
    'Esta máquina no puede resolver ese nombre: revisa su red y su DNS (detrás de un proxy, define HTTPS_PROXY) e inténtalo de nuevo.',
  reach:
    'Esta máquina no llega hasta ahí: revisa su red (detrás de un proxy, define HTTPS_PROXY) e inténtalo de nuevo.',
  window: 'Ollama da a {model} {n} tokens y descarta el resto sin avisar: arráncalo con OLLAMA_CONTEXT_LENGTH=32768',
  noPrice:
    'no se conoce el precio de {name}: sus tokens se cuentan, pero los límites en dinero no valen para él; define prices.{name}',
  skillUnusable: 'no se puede usar {name}: {fixes}',
  noSkill: 'skills.env.{name}: no hay ninguna habilidad con este nombre',
  skillsAll: '{n, plural, one {la única se puede usar} other {las # se pueden usar}}',
  skillsSome: 'se pueden usar {usable} de {n}',
  unreadable: 'no se pueden leer: {why}',
  sandbox: 'bubblewrap funciona: los scripts de las habilidades solo ven sus propias carpetas',
  noSandbox:
    'en este sistema no hay: los scripts de las habilidades llegan a lo mismo que el gateway, y se pregunta a una persona antes de cada uno',
  installSandbox:
    'instala el paquete bubblewrap: sin él, los scripts de las habilidades llegan a lo mismo que el gateway, y se pregunta a una persona antes de cada uno',
  allowSandbox:
    'bubblewrap está, pero esta máquina lo rechaza ({why}): sin él, los scripts de las habilidades llegan a lo mismo que el gateway, y se pregunta a una persona antes de cada uno',
  allowInContainer:
    'bubblewrap está, pero este contenedor lo rechaza ({why}): inícialo como compose.yaml, con seccomp=deploy/seccomp.json, apparmor=unconfined y systempaths=unconfined (en Kubernetes: deploy/kubernetes-sandbox); hasta entonces, los scripts de las habilidades llegan a lo mismo que el gateway, y se pregunta a una persona antes de cada uno',
  allowNamespaces:
    'bubblewrap está, pero AppArmor rechaza los espacios de nombres de usuario ({why}): ejecuta "sysctl kernel.apparmor_restrict_unprivileged_userns=0" en la máquina; hasta entonces, los scripts de las habilidades llegan a lo mismo que el gateway, y se pregunta a una persona antes de cada uno',
  serverSilent: 'mcp.{name} no contesta',
  serverEmpty: '{name} contesta y no tiene herramientas',
  serverTools:
    '{tools, plural, one {{name} tiene 1 herramienta} other {{name} tiene # herramientas}}; {asks, select, none {ninguna espera permiso} all {todas esperan permiso} other {{asking, plural, one {# de ellas espera permiso} other {# de ellas esperan permiso}}}}',
  noTool: 'mcp.{name}.tools: {name} no ofrece la herramienta «{tool}»',
  leftOut:
    '{name}: dejo fuera la herramienta «{tool}», porque {why, select, task {solo funciona en segundo plano, como tarea de MCP} name {su nombre es demasiado largo} description {su descripción es demasiado larga} arguments {sus argumentos no tienen nombre} size {la descripción de sus argumentos es demasiado larga} other {no tomo más herramientas de un servidor; indica en mcp.{name}.tools las que necesitas}}',
  timezone: '{zone} (jobs.timezone)',
  ofViber: '{id}: {what}',
  secondVersion:
    '{name} es una copia en conflicto de {original}: se cambió en dos sitios, y esta copia no se lee. Pasa a {original} lo que quieras conservar y bórrala',
  undecided:
    '{name} línea {line}: una fusión sin resolver, cuyas dos versiones se leen; quédate con una y borra las líneas que las separan',
  shorten: '{name} {why}; acórtalo, o pasa a otro archivo lo que rara vez hace falta',
  moreFiles: '{n, plural, one {y uno más como estos} other {y # más como estos}}',
  jobsRun: '{n, plural, one {1 trabajo puede ejecutarse} other {los # pueden ejecutarse}}',
  jobsOffline:
    '{can}, pero {model}, el modelo pequeño integrado, solo entiende unas pocas peticiones fijas; {command} conecta uno de verdad',
  listed: '{before}, {after}',
});
