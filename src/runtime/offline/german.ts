/** The same requests in German, as patterns for `requests.ts`: one blank stands for a few. Pure. */
import { PLAN_WORDS } from './plan-words.ts';

export interface GermanPatterns {
  /** How a file is named, and any way to mean one. */
  file: string;
}

const SHOW = '(?:zeig(?:e)?|lies|nenn(?:e)?|schick(?:e)?)(?: mir| uns)?(?: bitte)?';
const PLEASE_DO = '(?:mach|erstell|schreib|entwirf)(?:e)?(?: mir| uns)?(?: bitte)?';
const STEPS = '(?:schritte? )?#?(?<steps>[0-9][^:\\n]{0,60}?)';

/** By what is asked for; several patterns may mean the same. */
export const germanPatterns = ({ file: FILE }: GermanPatterns) => {
  const some = `(?:(?:das|die|diese|meine)(?: (?:datei|text|dokument))?|(?:die |meine )?(?:datei )?(?<file>${FILE}))`;
  return {
    plan: [
      `${PLEASE_DO} (?:einen|den) (?:neuen )?plan(?: (?:für|zu|zum|zur|um) (?<goal>[^:\\n]{1,200}))? ?: ?(?<items>.+)`,
      `${PLEASE_DO} (?:einen|den) (?:neuen )?plan (?:für|zu|zum|zur|um|wie) (?<goal>.+)`,
    ],
    showPlan: [
      `(?:${SHOW} )?(?:den|meinen|unseren|der|mein|unser) (?:aktuellen )?plan`,
      'was (?:ist|steht|kommt) (?:noch |jetzt )?(?:offen|an|als nächstes(?: an)?|zu tun)',
      "wie geht(?: es|'s) weiter",
    ],
    done: [
      `${STEPS} (?:ist|sind) (?:erledigt|fertig|getan)`,
      `(?:erledigt|fertig|hak(?:e)?)(?: sind| ist)?:? ${STEPS}(?: ab)?`,
    ],
    skipped: [`überspring(?:e)? ${STEPS}`],
    dropped: [`(?:streich|lösch)(?:e)? schritte? #?(?<steps>[0-9][^:\\n]{0,60})`],
    add: [...PLAN_WORDS.addOneGerman, ...PLAN_WORDS.addSomeGerman],
    move: PLAN_WORDS.moveGerman,
    write: [
      `(?:${PLEASE_DO}|speicher(?:e)?) (?:(?:eine|die) )?(?:neue )?(?:datei )?(?<file>${FILE}) ?(?::|,? ?mit(?: dem (?:text|inhalt))?:?) ?(?<content>.+)`,
    ],
    remember: [
      // Without its "dass" a clause is no sentence.
      '(?:merk(?:e)? dir|behalt(?:e)?|denk(?:e)? daran|vergiss nicht)(?: ?:|,)? (?<content>.+)',
      'notier(?:e)?(?: dir)?(?: ?:|,)? (?<content>.+)',
    ],
    recall: ['was (?:weißt|weisst) du(?: .{1,60})?', 'woran (?:erinnerst|denkst) du(?: .{1,60})?'],
    list: [
      `(?:${SHOW}|liste) (?:alle |die |meine |unsere )?dateien(?: auf)?`,
      'welche dateien (?:gibt es|hast du|sind da)',
    ],
    send: [`(?:schick|gib|send)(?:e)? (?:mir|uns) (?:bitte )?${some}(?: nochmal| noch einmal)?`],
    read: [`(?:lies|öffne|zeig(?:e)?)(?: mir| uns)?(?: bitte)? ${some}(?: vor)?`],
    forget: ['vergiss(?:,? dass| das mit)? (?!es$|das$)(?<content>.+)'],
    tasks: [`(?:${SHOW} )?(?:alle )?(?:meine|unsere|die) aufgaben`],
    newTask: ['(?:eine )?neue aufgabe', 'etwas (?:neues|anderes)'],
    timezone: [
      'ich (?:bin|wohne|lebe)(?: jetzt)? in (?<content>.{2,60})',
      'meine zeitzone ist(?: jetzt)? (?<content>.{2,60})',
    ],
    yesterday: ['was (?:haben wir|hast du|habe ich|wurde) gestern (?:gemacht|getan)'],
    today: ['was (?:haben wir|hast du|habe ich|wurde) heute (?:gemacht|getan)'],
    cancel: ['(?:lösch|streich)(?:e)? (?:die |meine )(?:erinnerung|aufträge|auftrag)(?: an| für)? (?<content>.{1,80})'],
    schedule: [
      'erinner(?:e)? mich(?: .+)?',
      '(?:(?:jeden|jede|alle) (?:[0-9]{1,3} )?(?:tage?|morgen|abend|woche|wochen|monat|monate|stunde|stunden|minuten|werktag|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|täglich|wöchentlich|stündlich|monatlich)(?: .+)?',
    ],
    hello: ['(?:hallo|moin|servus|guten (?:tag|morgen|abend)|grüß (?:gott|dich)|grüezi)(?:,? [a-zäöüß]{1,20})?'],
    help: ['hilfe', 'was kannst du(?: .{1,30})?', 'wer bist du(?: .{1,30})?', 'was bist du(?: .{1,30})?'],
  };
};
