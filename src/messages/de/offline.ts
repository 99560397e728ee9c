/** Was das kleine eingebaute Modell sagt. Seine Beispiele sind das, was es versteht. */
import { translate } from '../arguments.ts';
import { offline as english } from '../en/offline.ts';

export const offline = translate(english)({
  about:
    'Ich bin das kleine eingebaute Modell: Ich verstehe ein paar feste Befehle und kann nicht frei denken oder reden.',
  hello: 'Hallo! {about}',
  abilities: `Ich verstehe diese englischen Befehle:
- einen Plan machen: „plan: Farbe kaufen; Wand streichen; aufräumen“; einen Schritt abhaken: „done 2“; ihn zeigen: „show plan“
- eine Datei schreiben: „write a file notizen.md: der Text“; eine lesen: „read notizen.md“; „list files“
- mir etwas merken: „remember that I like tea“, „what do you know?“

Zeitpläne in Worten brauchen ein Sprachmodell. Von Hand legst du einen Auftrag mit \`{add}\` auf dem Rechner an, auf dem ich laufe.`,
  realModel: 'Um ein Sprachmodell anzuschließen, führ `{command}` auf dem Rechner aus, auf dem ich laufe.',
  cannot:
    'Das kann ich ohne Sprachmodell nicht: Das kleine eingebaute versteht ein paar feste Befehle, und „help“ zählt sie auf.\nUm ein Sprachmodell anzuschließen, führ `{command}` auf dem Rechner aus, auf dem ich laufe.',
  cannotSchedule:
    'Das kann ich ohne Sprachmodell nicht einplanen. Von Hand geht es mit `{add}` auf dem Rechner, auf dem ich laufe.\nUm ein Sprachmodell anzuschließen, führ dort `{command}` aus.',
  cannotInProject:
    'Ohne Sprachmodell kann ich nicht in Projekten arbeiten, also habe ich nichts geändert.\nUm eins anzuschließen, führ auf dem Rechner, auf dem ich laufe, `{command}` aus.',
  unknown: '„{text}“ habe ich nicht verstanden.',
  noTool: 'Das kann ich hier nicht ({tool}).',
  planMade: 'Der Plan hat {n, plural, one {# Schritt} other {# Schritte}}.',
  planReplaced:
    'Er ersetzt einen Plan mit {n, plural, one {einem offenen Schritt} other {# offenen Schritten}}: {left}. Um einen Plan zu behalten und eine andere Aufgabe zu beginnen, schick erst /new.',
  noPlan:
    'Es gibt noch keinen Plan. Sag „plan: erstens; zweitens; drittens“, dann mache ich einen; deine anderen Aufgaben zeigt /tasks.',
  noStep: 'Einen Schritt {step} gibt es im Plan nicht:',
  step: '{id}, „{title}“,',
  quoted: '„{title}“',
  stepIs: '{n, plural, one {Schritt {steps} ist} other {Schritte {steps} sind}} erledigt; {rest}.',
  allDone: 'damit ist der ganze Plan erledigt',
  left: '{left} von {total} noch offen',
  planFailed: 'Der Plan ließ sich nicht ändern: {why}',
  planConflict: 'Jemand hat den Plan inzwischen geändert, darum ist meiner nur ein Vorschlag.',
  stepsLeft: '{left} von {total, plural, one {# Schritt} other {# Schritten}} noch offen.',
  isInProgress: '(in Arbeit)',
  isSkipped: '(übersprungen)',
  notRemembered: 'Das konnte ich mir nicht merken: {why}',
  rememberWaits: 'Das merke ich mir, sobald du zustimmst: {text}',
  remembered: 'Das merke ich mir: {text}',
  nothingKnown: 'Ich weiß noch nichts. Sag „remember that …“, um das zu ändern.',
  nothingAccepted: 'Ich weiß noch nichts: Was ich dich gefragt habe, zählt, sobald du zustimmst. Schick dazu /memory.',
  keptOut: 'Wo andere mitlesen, zeige ich nicht, was ich weiß; frag mich in einer Direktnachricht.',
  known: 'Das weiß ich:',
  wrote: 'Ich habe {file} geschrieben.',
  notWritten: '{file} ließ sich nicht schreiben: {why}',
  notRead: '{file} ließ sich nicht lesen: {why}',
  notListed: 'Die Dateien ließen sich nicht auflisten: {why}',
  noFiles: 'Es gibt noch keine Dateien.',
  files: 'Das sind die Dateien:',
  noFileYet: 'Es gibt noch keine Datei',
  noFile: 'Ich finde keine Datei {file}',
  thereIs: 'Es gibt: {names}.',
});
