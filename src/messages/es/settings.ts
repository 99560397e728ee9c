/** Los ajustes en español: cómo se llaman y qué hacen, por su ruta. `*` representa un nombre. */
export const settings: Readonly<Record<string, { label: string; about?: string }>> = {
  model: {
    label: 'Modelo',
    about:
      '`provider/model`; si falta, decide la primera clave de un proveedor que haya en el entorno, o contesta el modelo integrado',
  },
  fallback: {
    label: 'Modelos de reserva',
    about: 'modelos que se prueban en orden si el primero falla antes de hacer nada',
  },
  models: {
    label: 'Modelos a elegir',
    about: 'modelos que todos pueden elegir con `/model`, además de `model` y `fallback`; los propietarios, cualquiera',
  },
  smallModel: {
    label: 'Modelo pequeño',
    about:
      '`provider/model` que pone título a una tarea tras la primera respuesta; si falta, el título es lo que se pidió',
  },
  maxSteps: {
    label: 'Pasos por ejecución',
    about: 'llamadas al modelo por ejecución; `auto` son 30, y 60 en un proyecto',
  },
  plugins: {
    label: 'Plugins',
    about: 'funciones de fuera: paquetes o rutas. Un plugin es código y puede hacer todo lo que puede el gateway',
  },
  planApproval: {
    label: 'Aprobar planes',
    about: '`on`: no pasa nada antes de que una persona apruebe el plan',
  },
  language: {
    label: 'Idioma',
    about: 'idioma del gateway en los chats: `auto` es el de cada persona; `en`, `de` o `es` vale para todos',
  },
  viber: { label: 'Viber', about: 'quién contesta si no se dice otra cosa; si falta, `default`' },
  vibers: {
    label: 'Vibers a elegir',
    about: 'vibers que los miembros pueden elegir con `/use`; los propietarios, cualquiera',
  },
  'providers.*.baseURL': {
    label: 'Dirección',
    about: 'un punto de acceso compatible con OpenAI, por ejemplo `http://127.0.0.1:11434/v1`',
  },
  'providers.*.apiKey': { label: 'Clave', about: 'su clave' },
  'providers.*.headers': { label: 'Cabeceras HTTP', about: 'cabeceras HTTP adicionales' },
  'providers.*.maxOutputTokens': {
    label: 'Respuesta más larga',
    about: 'máximo de tokens de una respuesta, con sus pensamientos y llamadas',
  },
  'prices.*.input': {
    label: 'Entrada',
    about: 'precio por millón de tokens de entrada; `MODEL` es `provider/model`',
  },
  'prices.*.output': { label: 'Salida', about: 'precio por millón de tokens de salida' },
  'prices.*.cachedInput': {
    label: 'Entrada en caché',
    about: 'precio por millón de tokens de entrada en caché; si falta, el de `input`',
  },
  currency: { label: 'Moneda', about: 'moneda de todos los precios y límites, tres letras mayúsculas' },
  'channels.*.token': { label: 'Token' },
  'channels.*.apiRoot': { label: 'Dirección de la API' },
  'channels.*.mode': { label: 'Conexión' },
  'channels.*.access.dm': { label: 'Mensajes directos' },
  'channels.*.access.groups': { label: 'Grupos' },
  'channels.*.access.allow': { label: 'Personas permitidas' },
  'channels.*.access.chats': { label: 'Grupos permitidos' },
  'channels.*.access.memory': { label: 'Dónde vale la memoria' },
  'channels.*.live': { label: 'Progreso' },
  'channels.*.injection': { label: 'Mensajes mientras trabaja' },
  'channels.*.attach': { label: 'Archivos de una ejecución' },
  'channels.*.viber': { label: 'Viber' },
  'channels.*.path': { label: 'Ruta de las peticiones' },
  'channels.telegram.webhook.url': { label: 'Webhook: dirección' },
  'channels.telegram.webhook.secret': { label: 'Webhook: secreto' },
  'channels.telegram.webhook.path': { label: 'Webhook: ruta' },
  'channels.telegram.pollSeconds': { label: 'Segundos por consulta' },
  'channels.telegram.localFiles': { label: 'Carpetas de un servidor de bots local' },
  'channels.discord.cdnRoot': { label: 'Dirección de los archivos' },
  'channels.discord.threads': { label: 'Hilos' },
  'channels.discord.guilds.*.id': { label: 'Servidor: número' },
  'channels.discord.guilds.*.groups': { label: 'Servidor: canales' },
  'channels.discord.guilds.*.viber': { label: 'Servidor: viber' },
  'channels.discord.archiveMinutes': { label: 'Minutos hasta archivar un hilo' },
  'channels.slack.botToken': { label: 'Token del bot' },
  'channels.slack.appToken': { label: 'Token de la app' },
  'channels.slack.signingSecret': { label: 'Secreto de firma' },
  'channels.slack.command': { label: 'Comando' },
  'channels.terminal.enabled': { label: 'Activado' },
  'people.*.name': { label: 'Nombre', about: 'letras, cifras, espacios y `. _ -`, como máximo 64' },
  'people.*.role': { label: 'Rol', about: '`owner` o `member`; los propietarios admiten a otros' },
  'people.*.ids': {
    label: 'Cuentas',
    about: 'telegram:1001, discord:2002 o slack:T01:U03; una cuenta es de una sola persona',
  },
  'people.*.viber': { label: 'Viber', about: 'quién contesta sus mensajes directos' },
  'conversations.*.viber': {
    label: 'Viber',
    about:
      'quién contesta en esa conversación; `PLACE` es telegram:-1001234567890, discord:99887 o slack:C024BE91L, con `:THREAD` para uno de sus hilos o temas',
  },
  'http.host': {
    label: 'Dirección',
    about: 'dirección en la que escucha; cualquiera que no sea de esta máquina necesita `http.token`',
  },
  'http.port': {
    label: 'Puerto',
    about: 'con 0 elige el sistema; si falta y el 6009 está ocupado, uno libre',
  },
  'http.token': {
    label: 'Token',
    about: 'secreto para todas las peticiones; solo `/healthz` y el mero estado de `/readyz` no lo necesitan',
  },
  'http.clients.*.token': {
    label: 'Token',
    about: 'lo que un programa envía como `Authorization: Bearer ...`; el nombre `owner` está reservado',
  },
  'http.clients.*.role': {
    label: 'Rol',
    about: '`owner`, `member` (si falta) o `guest`; como máximo lo que puede su persona',
  },
  'http.clients.*.person': {
    label: 'Persona',
    about: 'un nombre de `people` por el que actúa; si falta, es `api:NAME`',
  },
  'http.origins': {
    label: 'Otras direcciones',
    about:
      'otros orígenes (`https://viber.example.org`) en los que contesta el gateway; los webhooks y `/healthz` aceptan cualquiera',
  },
  'memory.maxMemoryTokens': {
    label: 'Tokens para la memoria',
    about: 'tokens de MEMORY.md y los diarios por petición',
  },
  'memory.maxTaskTokens': { label: 'Tokens para el plan', about: 'tokens del plan por petición' },
  'memory.maxDailyLogs': { label: 'Diarios', about: 'cuántos de los diarios más recientes se leen' },
  'memory.truncationStrategy': {
    label: 'Recorte',
    about: 'qué queda de un texto demasiado largo: `head` (el principio), `tail` (el final) o `smart`',
  },
  'memory.injection': {
    label: 'Lugar en la petición',
    about: 'dónde va la memoria: en el prompt `system`, o como un `message` antes de la conversación',
  },
  'memory.autoAccept': {
    label: 'Guardar sin preguntar',
    about: 'guarda sin preguntar lo que un propietario dice de forma completa; todo lo demás sigue esperando',
  },
  'memory.retention.dailyLogsDays': {
    label: 'Conservar los diarios',
    about: 'días que se conservan los diarios',
  },
  'memory.retention.indexRebuildDays': {
    label: 'Renovar el índice',
    about: 'días tras los que el índice se hace de nuevo',
  },
  'memory.excludePatterns': {
    label: 'Archivos excluidos',
    about: 'archivos de la carpeta del viber que nunca entran en el índice ni en una petición',
  },
  'memory.index': {
    label: 'Índice',
    about: 'índice de búsqueda: `off` (la búsqueda lee los archivos), `on`, o `auto` (a partir de 10 archivos o 50 KB)',
  },
  'memory.embedding': {
    label: 'Búsqueda por significado',
    about: '`provider/model` para buscar por significado; si falta, se busca por palabras',
  },
  'history.maxMessages': { label: 'Mensajes', about: 'cuántos de los últimos mensajes van en una petición' },
  'history.maxTokens': {
    label: 'Tokens',
    about:
      'cuántos de los últimos tokens van en una petición; `auto` es la mitad de lo que le cabe al modelo, como máximo 100.000 (8.000 si no se sabe)',
  },
  'history.compaction': {
    label: 'Resumir',
    about: 'resume lo que ya no cabe; la transcripción conserva cada palabra',
  },
  'voice.model': {
    label: 'Modelo',
    about:
      '`provider/model` que transcribe: `openai`, `groq`, `deepgram` o un punto de acceso de `providers`; si falta, decide la primera que haya de `OPENAI_API_KEY`, `GROQ_API_KEY` y `DEEPGRAM_API_KEY`',
  },
  'voice.command': {
    label: 'Programa',
    about:
      'un programa de la máquina, con argumentos, que escribe las palabras; `{file}` es la grabación. Se ejecuta sin tus claves, cinco minutos como máximo y después de `voice.model`',
  },
  'voice.language': {
    label: 'Idioma',
    about: 'dos letras, si todos hablan el mismo; si falta, se detecta',
  },
  'voice.maxSeconds': { label: 'Grabación más larga', about: 'las grabaciones más largas no se transcriben' },
  'voice.echo': { label: 'Citar lo entendido', about: 'cita lo que se entendió antes de la respuesta' },
  'voice.reply': {
    label: 'Respuestas habladas',
    about: '`same` contesta los mensajes de voz también con la voz',
  },
  'voice.speech': {
    label: 'Modelo que habla',
    about: '`provider/model` que habla, con `/audio/speech` de OpenAI',
  },
  'voice.speaker': { label: 'Voz', about: 'su voz' },
  'pictures.model': {
    label: 'Modelo',
    about: '`provider/model` que dibuja: `google`, `openai` o un punto de acceso de `providers`',
  },
  'pictures.perDay': { label: 'Imágenes al día', about: 'máximo de imágenes por persona y día (UTC)' },
  'projects.roots': {
    label: 'Carpetas',
    about:
      'carpetas con proyectos en los que se puede trabajar desde un chat; con `{folder, network, worktree}`, sus comandos llegan a `none`, `registries` o `all`, y cada tarea tiene su propio worktree de git (`true`)',
  },
  'projects.people': {
    label: 'Personas',
    about: 'nombres de `people` que pueden trabajar en proyectos, además de los propietarios',
  },
  'projects.groups': {
    label: 'Grupos',
    about: 'grupos y canales donde pueden hacerlo; si no, solo en mensajes directos',
  },
  'skills.env.*.*': {
    label: 'Variable',
    about: 'una variable para los scripts de la habilidad `NAME`; se oculta en su salida',
  },
  'skills.network': {
    label: 'Red',
    about: 'habilidades cuyos scripts pueden usar la red aunque sus archivos no la pidan',
  },
  'skills.timeout': {
    label: 'Límite de tiempo',
    about: 'segundos que puede tardar un script, si su habilidad no dice otra cosa',
  },
  'skills.webOrigins': {
    label: 'Otras direcciones web',
    about:
      'orígenes privados o poco comunes (`https://wiki.intra:8443`) que se pueden leer y desde los que se pueden añadir habilidades',
  },
  'skills.maxPromptTokens': {
    label: 'Tokens para descripciones',
    about: 'tokens para las descripciones de habilidades; de las demás van solo los nombres',
  },
  'skills.registry': { label: 'Registro', about: 'registro de npm para habilidades' },
  'skills.shell': {
    label: 'Comandos',
    about: 'comandos en el sandbox: `off`, `on` (sin red) o `network`',
  },
  'search.by': {
    label: 'Buscador',
    about: 'quién busca: `auto`, `off`, `provider`, `searxng`, `brave`, `tavily`',
  },
  'search.url': {
    label: 'Dirección',
    about: 'dirección de SearXNG (si falta, `http://127.0.0.1:8080`), u otra para Brave o Tavily',
  },
  'search.apiKey': {
    label: 'Clave',
    about: 'clave de Brave o Tavily; o define `BRAVE_API_KEY` o `TAVILY_API_KEY`',
  },
  'search.model': {
    label: 'Modelo',
    about: '`provider/model` cuyo proveedor busca, si no es el del modelo que contesta',
  },
  'web.hosts': {
    label: 'Sitios permitidos',
    about: 'sitios que se leen sin preguntar: `example.org`, `*.example.org` (solo subdominios), `example.org:8443`',
  },
  'mcp.*.command': {
    label: 'Programa',
    about: 'programa de un servidor MCP; sus herramientas se llaman `NAME_TOOL`',
  },
  'mcp.*.args': { label: 'Argumentos', about: 'sus argumentos' },
  'mcp.*.env': { label: 'Entorno', about: 'sus variables de entorno, además de PATH y HOME' },
  'mcp.*.url': { label: 'Dirección', about: 'la dirección del servidor, en lugar de `command`' },
  'mcp.*.headers': { label: 'Cabeceras HTTP', about: 'cabeceras HTTP para `url`' },
  'mcp.*.transport': {
    label: 'Transporte',
    about: '`http` (Streamable HTTP) o `sse` (servidores antiguos); si falta, se prueban en este orden',
  },
  'mcp.*.oauth': {
    label: 'Inicio de sesión',
    about: 'para iniciar sesión: `clientId`, `clientSecret` con su `issuer`, y `scopes`',
  },
  'mcp.*.tools': {
    label: 'Herramientas',
    about: 'solo estas herramientas; una ejecución recibe como máximo 100 de habilidades y servidores',
  },
  'mcp.*.trusted': {
    label: 'Confianza',
    about: 'cree al servidor cuando dice que una herramienta solo lee y no se comunica con nadie',
  },
  'jobs.timezone': { label: 'Zona horaria', about: 'zona horaria de los trabajos; si falta, la de la máquina' },
  'jobs.minMinutes': {
    label: 'Intervalo mínimo',
    about: 'minutos que pasan como mínimo entre dos ejecuciones de un trabajo creado en un chat',
  },
  'jobs.max': { label: 'Cantidad máxima', about: 'máximo de trabajos creados en chats' },
  'jobs.keepDays': { label: 'Conservar', about: 'días que se conservan las tareas de ejecuciones pasadas' },
  'receipt.weekly': {
    label: 'Cada semana',
    about: 'cuántos mensajes se contestaron, cada lunes a las 9:00, o `off`',
  },
  'mesh.maxDepth': {
    label: 'Cadena más larga',
    about: 'máximo de agentes que se preguntan uno a otro en cadena',
  },
  'mesh.maxCalls': { label: 'Preguntas por ejecución', about: 'máximo de preguntas a agentes en una ejecución' },
  'limits.runs': {
    label: 'Ejecuciones a la vez',
    about: 'ejecuciones a la vez; a partir de dos, una se reserva para los propietarios',
  },
  'limits.runsPerPerson': {
    label: 'Ejecuciones a la vez por persona',
    about: 'ejecuciones a la vez de una persona; no vale para los propietarios',
  },
  'limits.queue': { label: 'Cola', about: 'mensajes en espera por conversación' },
  'limits.messagesPerMinute': {
    label: 'Mensajes por minuto',
    about: 'mensajes, comandos y botones de una persona por minuto; no vale para los propietarios',
  },
  'limits.downloadBytes': { label: 'Archivo más grande', about: 'bytes de un archivo descargado' },
  'limits.filesPerMessage': {
    label: 'Archivos por mensaje',
    about: 'cuántos archivos se descargan por mensaje',
  },
  'limits.bytesPerGuest': {
    label: 'Espacio por invitado',
    about:
      'espacio en disco para las tareas de un invitado: archivos, conversaciones y lo escrito en el espacio de trabajo; 0: sin límite',
  },
  'limits.bytesPerMember': { label: 'Espacio por miembro', about: 'lo mismo para un miembro' },
  'limits.freeBytes': {
    label: 'Espacio libre',
    about: 'si queda menos libre en el disco, no se acepta ningún mensaje nuevo',
  },
  'limits.tokensPerDay': {
    label: 'Tokens al día',
    about: 'tokens al día de todas las ejecuciones, con los embeddings; 0: sin límite',
  },
  'limits.costPerDay': {
    label: 'Gasto al día',
    about: 'dinero al día para todas las ejecuciones, en `currency`; 0: sin límite',
  },
  'limits.tokensPerPersonPerDay': {
    label: 'Tokens por persona y día',
    about: 'tokens por persona y día; 0: sin límite',
  },
  'limits.costPerPersonPerDay': {
    label: 'Gasto por persona y día',
    about: 'dinero por persona y día; 0: sin límite',
  },
  'timeouts.connect': { label: 'Conexión', about: 'segundos hasta que contesta el punto de acceso de un modelo' },
  'timeouts.firstToken': {
    label: 'Primera palabra',
    about: 'segundos hasta el primer trozo de una respuesta',
  },
  'timeouts.idle': { label: 'Pausa', about: 'segundos entre dos trozos' },
  'timeouts.run': { label: 'Ejecución entera', about: 'segundos de una ejecución entera' },
  'engine.kind': {
    label: 'Tipo',
    about: '`local`: archivos de esta máquina, un proceso; `redis`: un servidor que comparten varios',
  },
  'engine.url': { label: 'Dirección', about: 'dirección con `redis://` o `rediss://` y su contraseña' },
  'engine.roles': {
    label: 'Funciones de este proceso',
    about: 'qué hace este proceso; también como un solo texto con comas',
  },
  'engine.leaseMs': {
    label: 'Relevo tras',
    about: 'milisegundos hasta que el trabajo de un proceso callado pasa a otro',
  },
  'engine.shards': {
    label: 'Colas',
    about: 'colas entre las que se reparten las conversaciones; iguales para todos los procesos, y no se cambian nunca',
  },
  'engine.replicas': {
    label: 'Réplicas',
    about: 'réplicas que deben haber escrito un mensaje antes de confirmarlo',
  },
  'engine.dedupeDays': {
    label: 'Reconocer repeticiones',
    about: 'días durante los que se reconoce un evento que llega otra vez',
  },
  'engine.runDir': {
    label: 'Carpeta de bloqueos',
    about: 'carpeta de este proceso para bloqueos y sockets; si falta, una del sistema',
  },
  'hub.url': {
    label: 'Dirección',
    about: 'WebSocket de un hub al que se conecta; `wss://`, salvo que esté en esta máquina',
  },
  'hub.token': {
    label: 'Token',
    about: 'se envía como `Authorization: Bearer ...`; sin él, el hub está apagado',
  },
  'hub.viberId': { label: 'Viber', about: 'el viber para sus tareas' },
  'hub.role': { label: 'Rol', about: 'qué puede hacer: `owner`, `member` o `guest`' },
  'telemetry.endpoint': {
    label: 'Dirección',
    about: 'recolector de OTLP, por ejemplo `http://127.0.0.1:4318`; sin él no hay trazas',
  },
  'telemetry.headers': { label: 'Cabeceras HTTP', about: 'se envían al recolector, por ejemplo una clave' },
  'telemetry.sample': { label: 'Proporción', about: 'proporción de mensajes, de 0 a 1; si falta, todos' },
  'telemetry.service': { label: 'Nombre', about: 'nombre en las trazas; si falta, `openviber-gateway`' },
  'push.contact': {
    label: 'Contacto',
    about: '`https:` o `mailto:` para los operadores de servicios push; si falta, el primer origen https',
  },
  'push.services': {
    label: 'Otros servicios push',
    about: 'servicios push sin una dirección https pública',
  },
  'log.level': {
    label: 'Nivel',
    about: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  },
};
