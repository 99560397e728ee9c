/**
 * Texts that platforms show beside a command while it is typed, in languages other than English, which the commands
 * themselves contain (`src/runtime/commands/`). Missing ones are shown in English.
 */
export interface MenuText {
  description: string;
  /** The text that may follow the command's name. */
  argument?: string;
}

/** An entry of a menu with groups: the command it runs, with the words it puts before the typed ones. */
export interface MenuEntry {
  command: string;
  before?: string;
  /** Replaces the command's own; other languages have it in `MENU` under `GROUP ENTRY`. */
  description?: string;
}

/** Groups for menus that limit the number of entries; a command outside all groups is an entry of its own. */
export const MENU_GROUPS: Readonly<
  Record<string, { description: string; entries: Readonly<Record<string, MenuEntry>> }>
> = {
  task: {
    description: 'Begin a task, keep it, make room in it',
    entries: { new: { command: 'task' }, export: { command: 'export' }, compact: { command: 'compact' } },
  },
  memory: {
    description: 'What I remember',
    entries: {
      search: { command: 'memory', description: 'Show what I remember, or look for words in it' },
      add: { command: 'memory', before: 'add', description: 'Remember this' },
      forget: { command: 'memory', before: 'forget', description: 'Forget what has these words in it' },
      undo: { command: 'memory', before: 'undo', description: 'Take back the last change of what I remember' },
    },
  },
  settings: {
    description: 'How I work here',
    entries: {
      model: { command: 'model' },
      think: { command: 'think' },
      use: { command: 'use' },
      live: { command: 'live' },
      queue: { command: 'queue' },
      timezone: { command: 'timezone' },
    },
  },
};

/** The group for commands that a menu has no room for. */
export const MORE = { name: 'more', description: 'More commands' };

export const MENU: Readonly<Record<string, Readonly<Record<string, MenuText>>>> = {
  de: {
    help: { description: 'Was ich kann (/help all für alle Befehle)', argument: 'all: alle Befehle' },
    new: { description: 'Eine andere Aufgabe beginnen (/new ZIEL)', argument: 'Was ich tun soll' },
    status: { description: 'Was ich gerade tue', argument: 'Die Kennung einer anderen Aufgabe' },
    stop: {
      description: 'Anhalten, was ich gerade tue',
      argument: 'Die Kennung einer anderen Aufgabe, ein Agent, oder * für alles',
    },
    queue: {
      description: 'Was aus Nachrichten wird, während ich arbeite: steer, collect oder followup',
      argument: 'steer, collect oder followup',
    },
    steer: { description: 'Etwas sagen, das ändert, was ich gerade tue', argument: 'Was du sagen möchtest' },
    followup: { description: 'Etwas sagen für danach, wenn ich fertig bin', argument: 'Was du sagen möchtest' },
    plan: {
      description: 'Den Plan dieser Aufgabe zeigen',
      argument: 'add TEXT; done, skip, drop und eine Nummer; move 3 1; oder die Kennung einer Aufgabe',
    },
    play: {
      description: 'Ein Playbook spielen (/play NAME), oder damit weitermachen',
      argument: 'Sein Name, und was es braucht: release-feature version=1.2.0',
    },
    tasks: { description: 'Deine Aufgaben zeigen', argument: 'all: auch die von anderen' },
    open: {
      description: 'Eine andere Aufgabe hier weiterführen (/open KENNUNG)',
      argument: 'Die Kennung der Aufgabe, oder ihr Titel, während du tippst',
    },
    artifacts: { description: 'Die Dateien dieser Aufgabe zeigen', argument: 'Die Kennung einer anderen Aufgabe' },
    get: {
      description: 'Eine Datei dieser Aufgabe schicken (/get NAME oder all)',
      argument: 'Ihr Name oder ihre Kennung, oder all',
    },
    export: { description: 'Dieses Gespräch als Dateien zum Aufheben', argument: 'Die Kennung einer anderen Aufgabe' },
    why: { description: 'Warum ich zuletzt so geantwortet habe', argument: 'Die Kennung einer anderen Aufgabe' },
    memory: {
      description: 'Was ich mir gemerkt habe; WÖRTER suchen, add, forget, undo',
      argument: 'Wörter, nach denen ich suche, oder add TEXT, forget WÖRTER, undo',
    },
    board: { description: 'Ein Link zum Board in deinem Browser' },
    compact: { description: 'Das Gesagte zusammenfassen, um Platz zu schaffen' },
    project: { description: 'In welchem Projekt ich arbeite (/project NAME)', argument: 'Sein Name, oder none' },
    jobs: {
      description: 'Geplante Aufträge (/jobs run|pause|resume|delete NAME)',
      argument: 'show, run, pause, resume oder delete, und der Name',
    },
    skills: {
      description: 'Was ich benutzen kann (/skills use|add|update|remove)',
      argument: 'use NAME …, add QUELLE, update oder remove NAME, prompts',
    },
    mcp: { description: 'Die Werkzeug-Server und Anmeldungen dort (/mcp login NAME)', argument: 'login NAME' },
    model: { description: 'Welches Modell hier antwortet, und was es kostet', argument: 'Sein Name, oder "usual"' },
    think: {
      description: 'Wie lange ich hier nachdenke: off, low, medium oder high',
      argument: 'off, low, medium, high oder usual',
    },
    use: { description: 'Wer hier antwortet (/use NAME für einen anderen Viber)', argument: 'Sein Name' },
    live: {
      description: 'Was du siehst, während ich arbeite: off, status oder text',
      argument: 'off, status oder text',
    },
    timezone: {
      description: 'Deine Zeitzone (/timezone Europe/Berlin, oder eine Stadt)',
      argument: 'Europe/Berlin, oder eine Stadt',
    },
    link: {
      description: 'Auf einer anderen Plattform dieselbe Person sein (/link CODE)',
      argument: 'Der Code, den ein anderes Konto von dir zeigt; oder list',
    },
    prompts: {
      description: 'Die Prompts der Werkzeugserver',
      argument: 'Sein Name, und was er braucht: review what="der Plan"',
    },
    'group task': { description: 'Eine Aufgabe beginnen, aufheben, Platz darin schaffen' },
    'group memory': { description: 'Was ich mir gemerkt habe' },
    'group settings': { description: 'Wie ich hier arbeite' },
    'group more': { description: 'Weitere Befehle' },
    'memory search': { description: 'Zeigen, was ich mir gemerkt habe, oder Wörter darin suchen' },
    'memory add': { description: 'Sich das merken' },
    'memory forget': { description: 'Vergessen, worin diese Wörter stehen' },
    'memory undo': { description: 'Die letzte Änderung an dem zurücknehmen, was ich mir gemerkt habe' },
    // Discord's own two.
    viber: { description: 'Aufgaben für den Viber' },
    task: { description: 'Gib mir eine Aufgabe; sie bekommt einen eigenen Thread', argument: 'Was getan werden soll' },
  },
  es: {
    help: {
      description: 'Lo que sé hacer (/help all muestra todos los comandos)',
      argument: 'all: todos los comandos',
    },
    new: { description: 'Empezar otra tarea (/new OBJETIVO)', argument: 'Lo que debo hacer' },
    status: { description: 'Lo que estoy haciendo', argument: 'El ID de otra tarea' },
    stop: { description: 'Detener lo que estoy haciendo', argument: 'El ID de otra tarea, un agente, o * para todo' },
    queue: {
      description: 'Qué pasa con los mensajes mientras trabajo: steer, collect o followup',
      argument: 'steer, collect o followup',
    },
    steer: { description: 'Decir algo que cambia lo que estoy haciendo', argument: 'Lo que quieres decir' },
    followup: { description: 'Decir algo para cuando termine', argument: 'Lo que quieres decir' },
    plan: {
      description: 'Ver el plan de esta tarea',
      argument: 'add TEXTO; done, skip, drop y un número; move 3 1; o el ID de una tarea',
    },
    play: {
      description: 'Seguir un playbook (/play NOMBRE), o continuarlo',
      argument: 'Su nombre, y lo que necesita: release-feature version=1.2.0',
    },
    tasks: { description: 'Ver tus tareas', argument: 'all: también las de otras personas' },
    open: {
      description: 'Continuar aquí otra tarea (/open ID)',
      argument: 'El ID de la tarea, o su título, mientras escribes',
    },
    artifacts: { description: 'Ver los archivos de esta tarea', argument: 'El ID de otra tarea' },
    get: {
      description: 'Enviarte un archivo de esta tarea (/get NOMBRE o all)',
      argument: 'Su nombre o su ID, o all',
    },
    export: { description: 'Esta conversación en archivos para guardar', argument: 'El ID de otra tarea' },
    why: { description: 'Por qué contesté así la última vez', argument: 'El ID de otra tarea' },
    memory: {
      description: 'Lo que recuerdo; buscar PALABRAS, add, forget, undo',
      argument: 'Palabras que busco, o add TEXTO, forget PALABRAS, undo',
    },
    board: { description: 'Un enlace al panel en tu navegador' },
    compact: { description: 'Resumir lo dicho para hacer sitio' },
    project: { description: 'En qué proyecto trabajo (/project NOMBRE)', argument: 'Su nombre, o none' },
    jobs: {
      description: 'Trabajos programados (/jobs run|pause|resume|delete NOMBRE)',
      argument: 'show, run, pause, resume o delete, y el nombre',
    },
    skills: {
      description: 'Lo que puedo usar (/skills use|add|update|remove)',
      argument: 'use NOMBRE …, add ORIGEN, update o remove NOMBRE, prompts',
    },
    mcp: {
      description: 'Los servidores de herramientas y sus sesiones (/mcp login NOMBRE)',
      argument: 'login NOMBRE',
    },
    model: { description: 'Qué modelo contesta aquí, y cuánto cuesta', argument: 'Su nombre, o "usual"' },
    think: {
      description: 'Cuánto pienso aquí: off, low, medium o high',
      argument: 'off, low, medium, high o usual',
    },
    use: { description: 'Quién contesta aquí (/use NOMBRE para otro viber)', argument: 'Su nombre' },
    live: { description: 'Lo que ves mientras trabajo: off, status o text', argument: 'off, status o text' },
    timezone: {
      description: 'Tu zona horaria (/timezone Europe/Madrid, o una ciudad)',
      argument: 'Europe/Madrid, o una ciudad',
    },
    link: {
      description: 'Ser la misma persona en otra plataforma (/link CÓDIGO)',
      argument: 'El código que muestra otra cuenta tuya; o list',
    },
    prompts: {
      description: 'Los prompts de los servidores de herramientas',
      argument: 'Su nombre, y lo que necesita: review what="el plan"',
    },
    'group task': { description: 'Empezar una tarea, guardarla, hacer sitio en ella' },
    'group memory': { description: 'Lo que recuerdo' },
    'group settings': { description: 'Cómo trabajo aquí' },
    'group more': { description: 'Más comandos' },
    'memory search': { description: 'Ver lo que recuerdo, o buscar palabras' },
    'memory add': { description: 'Recordar esto' },
    'memory forget': { description: 'Olvidar lo que contiene estas palabras' },
    'memory undo': { description: 'Deshacer el último cambio de lo que recuerdo' },
    // Discord's own two.
    viber: { description: 'Tareas para el viber' },
    task: { description: 'Dame una tarea; tiene su propio hilo', argument: 'Lo que hay que hacer' },
  },
};
