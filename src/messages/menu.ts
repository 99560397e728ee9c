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

const OTHER_TASK = 'Die Kennung einer anderen Aufgabe';

export const MENU: Readonly<Record<string, Readonly<Record<string, MenuText>>>> = {
  de: {
    help: { description: 'Was ich kann (/help all für alle Befehle)', argument: 'all: alle Befehle' },
    new: { description: 'Eine andere Aufgabe beginnen (/new ZIEL)', argument: 'Was ich tun soll' },
    status: { description: 'Was ich gerade tue', argument: OTHER_TASK },
    stop: { description: 'Anhalten, was ich gerade tue', argument: `${OTHER_TASK}, ein Agent, oder * für alles` },
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
    artifacts: { description: 'Die Dateien dieser Aufgabe zeigen', argument: OTHER_TASK },
    get: {
      description: 'Eine Datei dieser Aufgabe schicken (/get NAME oder all)',
      argument: 'Ihr Name oder ihre Kennung, oder all',
    },
    export: { description: 'Was hier gesagt wurde, als Dateien zum Aufheben', argument: OTHER_TASK },
    memory: {
      description: 'Was ich mir gemerkt habe; WÖRTER suchen, add, forget, undo',
      argument: 'Wörter, nach denen ich suche, oder add TEXT, forget WÖRTER, undo',
    },
    board: { description: 'Ein Link zum Board in deinem Browser' },
    compact: { description: 'Das Gesagte zusammenfassen, um Platz zu schaffen' },
    jobs: {
      description: 'Geplante Aufträge (/jobs run|pause|resume|delete NAME)',
      argument: 'show, run, pause, resume oder delete, und der Name',
    },
    skills: {
      description: 'Was ich benutzen kann (/skills use|add|update|remove)',
      argument: 'use NAME …, add QUELLE, update oder remove NAME, prompts',
    },
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
      description: 'Was die Werkzeugserver als Prompts haben',
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
};
